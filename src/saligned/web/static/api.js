// Talking to the server. A key, where one is needed, lives until the tab is closed.

const KEY = "saligned-key";

export class Refusal extends Error {
  constructor({ code, message, hint }, status) {
    super(message);
    Object.assign(this, { code, hint, status });
  }
}

export function keepKey(key) {
  sessionStorage.setItem(KEY, key);
}

export async function ask(path, body, signal) {
  const headers = {};
  const key = sessionStorage.getItem(KEY);
  if (key) headers.Authorization = `Bearer ${key}`;
  if (body) headers["Content-Type"] = "application/json";
  const response = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal });
  const answer = await response.json();
  if (!response.ok) throw new Refusal(answer.error, response.status);
  return answer;
}
