// `pg` asks when it is loaded whether it runs at Cloudflare: it looks at `navigator`, or without one makes a Response, for
// which Node.js 20 loads its whole HTTP client, in every thread. Later versions of Node.js have this `navigator`.

if (!("navigator" in globalThis)) {
  const [major] = process.versions.node.split(".");
  Object.defineProperty(globalThis, "navigator", { value: { userAgent: `Node.js/${major}` } });
}
