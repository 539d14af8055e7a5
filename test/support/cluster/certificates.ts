// A certificate authority for one run, made with openssl, and a key with a certificate for each host. The certificates
// serve both ends of a connection: a host shows the same one as server and as client.

import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const requestConfig = `
[req]
distinguished_name = name
[name]
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
[host]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = $ENV::NAMES
`;

/** A host's files: the authority's certificate, and its own certificate and key. */
export interface HostCertificate {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

export class CertificateAuthority {
  readonly #folder: string;
  readonly caFile: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.caFile = join(folder, "ca.pem");
  }

  /** Makes an authority whose files are in `folder`, which is created. */
  static async create(folder: string): Promise<CertificateAuthority> {
    await mkdir(folder, { mode: 0o755 });
    await writeFile(join(folder, "request.conf"), requestConfig);
    const authority = new CertificateAuthority(folder);
    await authority.#request({ extensions: "ca", name: "Rialto test CA", ...authority.#files() });
    return authority;
  }

  #files(): { readonly certFile: string; readonly keyFile: string } {
    return { certFile: this.caFile, keyFile: join(this.#folder, "ca.key") };
  }

  /** Makes a certificate for a host in `folder`; `names` are its DNS names and IP addresses. */
  async issue(folder: string, name: string, names: readonly string[]): Promise<HostCertificate> {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const files = { certFile: join(folder, "host.pem"), keyFile: join(folder, "host.key") };
    await this.#request({ extensions: "host", name, names, ...files });
    const caFile = join(folder, "ca.pem");
    await run("cp", [this.caFile, caFile]);
    return { caFile, ...files };
  }

  async #request(wanted: {
    readonly extensions: "ca" | "host";
    readonly name: string;
    readonly names?: readonly string[];
    readonly certFile: string;
    readonly keyFile: string;
  }): Promise<void> {
    const { caFile, keyFile: caKey } = { caFile: this.caFile, ...this.#files() };
    const signer = wanted.extensions === "ca" ? [] : ["-CA", caFile, "-CAkey", caKey];
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    const form = ["-config", join(this.#folder, "request.conf"), "-extensions", wanted.extensions];
    const names = (wanted.names ?? ["unused"]).map(alternativeName).join(",");
    await run(
      "openssl",
      [
        "req",
        "-x509",
        "-days",
        "2",
        ...form,
        ...key,
        ...signer,
        "-subj",
        `/CN=${wanted.name}`,
      ].concat(["-keyout", wanted.keyFile, "-out", wanted.certFile]),
      { env: { ...process.env, NAMES: names } },
    );
  }
}

function alternativeName(name: string): string {
  return /^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`;
}
