/** Number of requests at a server, for flavors that report it. */

import { fieldOf } from '../../../core/json.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import { requestText } from '../http/request-json.ts'
import { type ServerPath, urlOf } from '../server-path.ts'
import { type CheckedServer, limitsOf } from './checked-server.ts'

interface LoadPlace extends ServerPath {
  /** Reads the number of running and waiting requests; undefined if not reported. */
  readonly read: (text: string) => number | undefined
}

const places: Partial<Record<UpstreamFlavor, LoadPlace>> = {
  vllm: { path: '/metrics', isAtRoot: true, read: readMetrics },
  sglang: { path: '/loads', read: (text) => sumOf(fieldOf(JSON.parse(text), 'loads'), runningOfLoad) },
  llamacpp: {
    path: '/slots',
    isAtRoot: true,
    read: (text) => sumOf(JSON.parse(text), (slot) => (fieldOf(slot, 'is_processing') === true ? 1 : 0)),
  },
}

/** Size limit of the metrics of all models. */
const limitBytes = 4 * 1024 * 1024

/** Returns the number of requests at the server; undefined if not reported. */
export async function serverLoad(server: CheckedServer): Promise<number | undefined> {
  const place = places[server.servers.flavor]
  if (place === undefined) return undefined
  const { url, key, signal } = server
  try {
    const request = { method: 'GET', url: urlOf(url, place), key, signal, limits: limitsOf(server) } as const
    return place.read(await requestText(request, limitBytes))
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

function readMetrics(text: string): number | undefined {
  const values = [...text.matchAll(/^vllm:num_requests_(?:running|waiting)(?:\{[^\n]*\})? +(\S+)$/gm)]
  return values.length === 0 ? undefined : values.reduce((sum, [, value]) => sum + Number(value), 0)
}

function runningOfLoad(load: unknown): number {
  return Number(fieldOf(load, 'num_running_reqs') ?? 0) + Number(fieldOf(load, 'num_waiting_reqs') ?? 0)
}

function sumOf(rows: unknown, of: (row: unknown) => number): number | undefined {
  return Array.isArray(rows) ? rows.reduce((sum: number, row) => sum + of(row), 0) : undefined
}
