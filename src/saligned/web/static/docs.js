// The OpenAPI document as a page: no script of another host, no framework.

import { make } from "./element.js";

const description = await (await fetch("/openapi.json")).json();
const resolve = (schema) => (schema?.$ref ? description.components.schemas[schema.$ref.split("/").at(-1)] : schema);

function typeName(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf) return schema.anyOf.map(typeName).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${typeName(schema.items ?? {})}`;
  return schema.type ?? "any";
}

function fields(schema, title) {
  const { properties = {}, required = [] } = resolve(schema) ?? {};
  const rows = Object.entries(properties).map(([name, field]) => {
    const limit = field.maxLength ?? field.maxItems ?? field.maximum;
    const notes = [field.description ?? "", limit === undefined ? "" : `At most ${limit}.`, field.default === undefined || field.default === null ? "" : `Default ${field.default}.`];
    const label = make("code", { textContent: required.includes(name) ? `${name} *` : name });
    return make("tr", {}, make("td", {}, label), make("td", { textContent: typeName(field) }), make("td", { textContent: notes.filter(Boolean).join(" ") }));
  });
  return rows.length ? [make("h3", { textContent: title }), make("table", {}, make("tbody", {}, ...rows))] : [];
}

function section(path, method, operation) {
  const body = operation.requestBody?.content["application/json"].schema;
  const answer = operation.responses["200"]?.content?.["application/json"]?.schema;
  const errors = Object.entries(operation.responses).filter(([status]) => status !== "200");
  const heading = make("h2", {}, make("span", { className: "method", textContent: method.toUpperCase() }), ` ${path}`);
  const card = make("section", { className: "card" }, heading, make("p", { textContent: operation.summary }));
  if (body) card.append(...fields(body, "Request"));
  if (answer) card.append(...fields(answer, "Answer"));
  if (errors.length) {
    const rows = errors.map(([status, error]) => make("tr", {}, make("td", { textContent: status }), make("td", { textContent: error.description })));
    card.append(make("h3", { textContent: "Errors" }), make("table", {}, make("tbody", {}, ...rows)));
  }
  return card;
}

for (const [path, operations] of Object.entries(description.paths)) {
  for (const [method, operation] of Object.entries(operations)) document.getElementById("operations").append(section(path, method, operation));
}
