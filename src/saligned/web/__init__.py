"""The web page and the JSON API: `create_app` in `app`, the way of a request in `api`."""
