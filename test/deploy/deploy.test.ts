import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { readAllowList } from "../../src/broker/allow-list.ts";
import { ConfigError, readConfig, readServingConfig } from "../../src/config/config.ts";
import type { Config, Environment } from "../../src/config/config.ts";
import {
  knownCommands,
  readDockerfile,
  readProjectFile,
  readUnit,
  readYaml,
  unitEnvironment,
} from "./files.ts";
import type { Instruction, Yaml } from "./files.ts";
import { listReadVariables } from "../support/read-variables.ts";

const PROGRAM = "/usr/local/bin/holdfast";
const BROKER_KEY = "A".repeat(42) + "E";

/** Settings that the repository cannot contain. */
const SECRETS = { ADMIN_API_KEY: "k".repeat(32), SMTP_URL: "smtps://user:password@mail.example.com:465" };

function valuesOf(stage: readonly Instruction[], name: string): readonly string[] {
  return stage.filter((instruction) => instruction.name === name).map(({ value }) => value);
}

function isThere(path: string): boolean {
  return existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)));
}

/** Reads the production configuration from an environment and the secrets. Throws `ConfigError`. */
function productionOf(environment: Environment): Config {
  const { config } = readServingConfig({ ...environment, ...SECRETS });
  assert.match(config.baseUrl!, /^https:\/\/[a-z.]+$/);
  return config;
}

describe("Dockerfile", () => {
  const [build, image, ...others] = readDockerfile(readProjectFile("Dockerfile"));
  const environment = unitEnvironment(valuesOf(image!, "ENV"));

  test("builds in one stage and runs in another", () => {
    assert.equal(others.length, 0);
    assert.match(valuesOf(build!, "FROM")[0]!, / AS build$/);
    assert.doesNotMatch(valuesOf(image!, "FROM")[0]!, /node|bun|:latest|^[^:]+$/);
    assert.deepEqual(valuesOf(image!, "RUN"), []);
    assert.deepEqual(valuesOf(image!, "ADD"), []);
  });

  test("copies existing files that .dockerignore does not exclude", () => {
    const ignore = readProjectFile(".dockerignore").split("\n");
    assert.ok(ignore.includes("*"));
    const sources = valuesOf(build!, "COPY").flatMap((value) => value.split(" ").slice(0, -1));
    assert.ok(sources.length >= 5);
    for (const source of sources) {
      assert.ok(isThere(source), source);
      assert.ok(ignore.includes(`!${source}`), source);
    }
    for (const line of ignore.filter((line) => line.startsWith("!"))) {
      assert.ok(sources.includes(line.slice(1)), line);
    }
  });

  test("runs known scripts, and copies their output", () => {
    const { scripts } = JSON.parse(readProjectFile("package.json"));
    const runs = valuesOf(build!, "RUN");
    for (const [, script] of runs.join("\n").matchAll(/^npm run (\S+)$/gm)) {
      assert.ok(Object.hasOwn(scripts, script!), `there is no script ${script}`);
    }
    assert.ok(runs.includes("npm ci --omit=dev") && runs.includes("npm run build"));
    const [workdir] = valuesOf(build!, "WORKDIR");
    assert.ok(valuesOf(image!, "COPY").includes(`--from=build ${workdir}/dist/holdfast ${PROGRAM}`));
    assert.match(readProjectFile("scripts/build.ts"), /file: "holdfast",/);
  });

  test("runs a known command as an unprivileged user, without a shell", () => {
    assert.deepEqual(valuesOf(image!, "ENTRYPOINT").map((value) => JSON.parse(value)), [[PROGRAM]]);
    const [[command]] = valuesOf(image!, "CMD").map((value) => JSON.parse(value));
    assert.ok(knownCommands().includes(command), command);
    const [user] = valuesOf(image!, "USER");
    assert.match(user!, /^[1-9]\d*:[1-9]\d*$/);
    assert.ok(
      valuesOf(image!, "COPY").includes(`--from=build --chown=${user} /empty ${environment["DATA_DIR"]}`),
    );
  });

  test("checks health with a known command, in every image", () => {
    for (const path of ["Dockerfile", "deploy/release.Dockerfile"]) {
      const [, command] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(readProjectFile(path))!;
      const [program, name] = JSON.parse(command!);
      assert.ok(program === PROGRAM && knownCommands().includes(name), path);
    }
  });

  test("keeps data, ports and variables as the configuration has them, and no secret", () => {
    const config = readConfig(environment);
    assert.deepEqual(valuesOf(image!, "VOLUME").map((value) => JSON.parse(value)), [[config.dataDir]]);
    assert.deepEqual(valuesOf(image!, "EXPOSE"), [String(config.port)]);
    assert.equal(config.host, "0.0.0.0");
    assert.deepEqual(Object.keys(environment).sort(), ["DATA_DIR", "HOST", "PORT"]);
  });
});

describe("deploy/dstack", () => {
  const text = readProjectFile("deploy/dstack/docker-compose.yaml");
  const compose = readYaml(text);
  const image = readDockerfile(readProjectFile("Dockerfile"))[1]!;
  const { holdfast, ...others } = compose["services"] as Record<string, Record<string, Yaml>>;
  const environment = holdfast!["environment"] as Readonly<Record<string, string>>;
  const manifest = JSON.parse(readProjectFile("deploy/dstack/app-compose.json"));

  test("runs the image alone, pinned by its digest, with nothing it does not need", () => {
    assert.deepEqual(others, {});
    assert.match(holdfast!["image"] as string, /@sha256:[0-9a-f]{64}$/);
    assert.deepEqual([holdfast!["read_only"], holdfast!["cap_drop"]], ["true", ["ALL"]]);
    assert.deepEqual(holdfast!["security_opt"], ["no-new-privileges:true"]);
    assert.ok(!("privileged" in holdfast!));
  });

  test("names the TEE, and no variable that the program does not know", () => {
    for (const name of Object.keys(environment)) assert.ok(listReadVariables().includes(name), name);
    assert.equal(productionOf(environment).tee, "dstack");
    for (const name of Object.keys(SECRETS)) assert.equal(environment[name], `\${${name}}`);
  });

  test("mounts the agent's socket where the program looks for it, and the data where the image keeps them", () => {
    const [socket, data] = holdfast!["volumes"] as readonly string[];
    const { teeDstackSocket } = readConfig({ TEE: "dstack" });
    assert.equal(socket, `${teeDstackSocket}:${teeDstackSocket}`);
    const { DATA_DIR } = unitEnvironment(valuesOf(image, "ENV"));
    assert.equal(data, `data:${DATA_DIR}`);
    assert.deepEqual(Object.keys(compose["volumes"] as object), ["data"]);
  });

  test("publishes the port that the image listens on", () => {
    const { PORT } = unitEnvironment(valuesOf(image, "ENV"));
    assert.deepEqual(holdfast!["ports"], [`${PORT}:${PORT}`]);
  });

  test("app-compose.json holds this very compose file, with a KMS, and hides logs", () => {
    assert.equal(manifest.docker_compose_file, text);
    assert.deepEqual([manifest.runner, manifest.manifest_version], ["docker-compose", 2]);
    assert.deepEqual([manifest.kms_enabled, manifest.key_provider], [true, "kms"]);
    assert.equal(manifest.local_key_provider_enabled, false);
    assert.deepEqual([manifest.public_logs, manifest.public_sysinfo], [false, false]);
  });

  test("app-compose.json lets in the secrets that the compose file takes, and nothing else", () => {
    const taken = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
    assert.deepEqual(manifest.allowed_envs, taken);
    assert.deepEqual(taken, Object.keys(SECRETS));
  });
});

describe("deploy/compose", () => {
  const text = readProjectFile("deploy/compose/compose.yaml");
  const compose = readYaml(text);
  const { holdfast, caddy } = compose["services"] as Record<string, Record<string, Yaml>>;
  const settings: Readonly<Record<string, string>> = {
    ...SECRETS,
    HOST_NAME: "keys.example.org",
    MAIL_FROM: "keys@example.org",
  };
  const fill = (value: string): string =>
    value.replace(/\$\{(\w+)\}/g, (_, name) => settings[name as string] ?? "");
  const environment = Object.fromEntries(
    Object.entries(holdfast!["environment"] as Record<string, string>).map((
      [name, value],
    ) => [name, fill(value)]),
  );

  test("starts in production with the settings that its first lines name, and no others", () => {
    const taken = new Set([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name));
    assert.deepEqual([...taken].sort(), Object.keys(settings).sort());
    for (const name of taken) assert.ok(text.split("services:")[0]!.includes(name!), name!);
    const config = productionOf(environment);
    assert.deepEqual([config.tee, config.baseUrl], ["dstack", "https://keys.example.org"]);
  });

  test("lets only the proxy connect to the service, and trusts its client addresses", () => {
    assert.ok(!("ports" in holdfast!));
    assert.deepEqual([holdfast!["networks"], caddy!["networks"]], [["inside"], ["inside"]]);
    const subnet = /subnet: (\S+)/.exec(text)![1]!;
    assert.equal(environment["TRUSTED_PROXIES"], subnet);
    const { PORT } = unitEnvironment(valuesOf(readDockerfile(readProjectFile("Dockerfile"))[1]!, "ENV"));
    assert.equal(
      fill(caddy!["command"] as string),
      `caddy reverse-proxy --from keys.example.org --to holdfast:${PORT}`,
    );
  });

  test("gives the agent's socket to the service alone", () => {
    const { teeDstackSocket } = readConfig({ TEE: "dstack" });
    assert.equal((holdfast!["volumes"] as readonly string[])[0], `${teeDstackSocket}:${teeDstackSocket}`);
    assert.equal(text.split(`${teeDstackSocket}:`).length, 2);
    assert.deepEqual([holdfast!["read_only"], holdfast!["cap_drop"]], ["true", ["ALL"]]);
  });
});

interface Unit {
  readonly command: string;
  /** Reads the unit's environment as its command does. */
  readonly read: (environment: Environment) => Config;
}

const UNITS: Readonly<Record<string, Unit>> = {
  "holdfast": {
    command: "serve",
    read: (environment) => productionOf({ ...environment, TEE_BROKER_KEY: BROKER_KEY }),
  },
  "holdfast-broker": { command: "broker", read: readConfig },
};

/** Settings of every unit: an attacker who controls the process can read and change as little as possible. */
const HARDENING: Readonly<Record<string, string>> = {
  NoNewPrivileges: "yes",
  ProtectSystem: "strict",
  ProtectHome: "yes",
  PrivateTmp: "yes",
  PrivateDevices: "yes",
  ProtectKernelTunables: "yes",
  ProtectKernelModules: "yes",
  ProtectKernelLogs: "yes",
  ProtectControlGroups: "yes",
  ProtectProc: "invisible",
  LockPersonality: "yes",
  RestrictNamespaces: "yes",
  RestrictRealtime: "yes",
  RestrictSUIDSGID: "yes",
  SystemCallArchitectures: "native",
  SystemCallFilter: "@system-service",
  StateDirectoryMode: "0700",
  UMask: "0077",
  LimitCORE: "0",
  MemorySwapMax: "0",
};

for (const [name, { command, read }] of Object.entries(UNITS)) {
  describe(`deploy/${name}.service`, () => {
    const unit = readUnit(readProjectFile(`deploy/${name}.service`));
    const service = unit["Service"]!;
    const environment = unitEnvironment(service["Environment"]!);
    const config = read(environment);

    test("runs the command where the image has it too", () => {
      assert.deepEqual(service["ExecStart"], [`${PROGRAM} ${command}`]);
      assert.ok(knownCommands().includes(command));
      assert.deepEqual(unit["Install"], { WantedBy: ["multi-user.target"] });
    });

    test("sets no variable that the program does not know", () => {
      for (const variable of Object.keys(environment)) {
        assert.ok(listReadVariables().includes(variable), variable);
      }
    });

    test("keeps its data in its state folder, as a user of its own", () => {
      assert.equal(config.dataDir, `/var/lib/${service["StateDirectory"]![0]}`);
      assert.deepEqual(service["User"], [name]);
    });

    test("is sandboxed", () => {
      for (const [setting, value] of Object.entries(HARDENING)) {
        assert.deepEqual(service[setting], [value], setting);
      }
      // The engine compiles as it runs.
      assert.ok(!("MemoryDenyWriteExecute" in service));
    });

    test("allows the time that the service needs to stop", () => {
      assert.ok(Number(service["TimeoutStopSec"]![0]) > 10);
    });
  });
}

describe("the units", () => {
  const read = (name: string): ReturnType<typeof readUnit> =>
    readUnit(readProjectFile(`deploy/${name}.service`));
  const [service, broker] = [read("holdfast")["Service"]!, read("holdfast-broker")["Service"]!];
  const [guest, host] = [service, broker].map((section) => unitEnvironment(section["Environment"]!));

  test("let the service write to configfs, and to nothing else beside its state", () => {
    const config = productionOf({ ...guest, TEE_BROKER_KEY: BROKER_KEY });
    assert.equal(config.tee, "tdx");
    assert.deepEqual(service["ReadWritePaths"], [config.teeTsmPath]);
    assert.deepEqual(read("holdfast")["Unit"]!["Requires"], ["sys-kernel-config.mount"]);
    assert.deepEqual([service["AmbientCapabilities"], service["CapabilityBoundingSet"]], [
      ["CAP_DAC_OVERRIDE"],
      ["CAP_DAC_OVERRIDE"],
    ]);
    assert.deepEqual([broker["AmbientCapabilities"], broker["CapabilityBoundingSet"]], [[""], [""]]);
    assert.ok(!("ReadWritePaths" in broker));
  });

  test("do not let a service start without its broker's key", () => {
    assert.throws(() => productionOf(guest!), (error) => {
      assert.ok(error instanceof ConfigError);
      return error.faults.length === 1 && error.faults[0]!.startsWith("TEE_BROKER_KEY must be set");
    });
  });

  test("agree on the port and the workload", () => {
    const { teeBroker } = productionOf({ ...guest, TEE_BROKER_KEY: BROKER_KEY });
    assert.equal(new URL(teeBroker!.url).port, String(readConfig(host!).port));
    const { workloads } = readAllowList(readProjectFile("deploy/allow-list.example.json"));
    assert.deepEqual([...workloads.keys()], [teeBroker!.workload]);
  });

  test("keep the broker's key apart from its database", () => {
    const { dataDir, teeSealingKeyFile, brokerAllowList, tee } = readConfig(host!);
    assert.equal(tee, "none");
    assert.ok(!teeSealingKeyFile!.startsWith(`${dataDir}/`));
    assert.ok(!brokerAllowList!.startsWith(`${dataDir}/`));
  });
});
