import { systemClock } from '../../core/clock.ts'
import type { UpstreamFlavor, UpstreamServers } from '../../core/upstream.ts'
import { EndpointRegistry } from '../../engines/upstream/endpoints/endpoint-registry.ts'
import type { UpstreamHost } from '../../engines/upstream/host.ts'
import type { TestModel } from '../test-server.ts'

/** Returns the host that a test server gives to upstream models. */
export function testUpstreamHost(parts: Partial<UpstreamHost> = {}): UpstreamHost {
  const { clock = systemClock } = parts
  return {
    readKey: async () => undefined,
    boxId: 'box',
    logsText: true,
    clock,
    log: () => undefined,
    saltSecret: new Uint8Array(32),
    endpoints: new EndpointRegistry({ clock, waitLimitMs: 300_000, log: () => undefined }),
    ...parts,
  }
}

/** Returns a model that these servers serve under the name `served`. */
export function servedBy(
  flavor: UpstreamFlavor,
  servers: readonly { readonly url: string }[],
  {
    upstream = {},
    ...manifest
  }: Omit<NonNullable<TestModel['manifest']>, 'upstream'> & {
    readonly upstream?: Partial<UpstreamServers>
  } = {},
): TestModel & { readonly manifest: { readonly upstream: UpstreamServers } } {
  return {
    manifest: {
      engine: 'upstream',
      contextLength: 8192,
      ...manifest,
      upstream: { flavor, model: 'served', endpoints: servers.map(({ url }) => url), maxConcurrent: 64, ...upstream },
    },
  }
}
