// The npm package oidc-provider with one client and one person, on loopback: node real_provider.mjs PACKAGE PORT BACK
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

const [entry, port, back] = argv.slice(2);
const { default: Provider } = await import(pathToFileURL(`${entry}/lib/index.js`));

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [{ client_id: "crowd", client_secret: "a secret", redirect_uris: [back] }],
  claims: { email: ["email", "email_verified"] },
  pkce: { required: () => true },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: true }),
  }),
});
provider.listen(Number(port), "127.0.0.1", () => console.log("listening"));
