import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'smol-toml'
import type { UpstreamFlavor } from '../../../src/core/upstream.ts'
import { startInferd } from '../../shared/inferd-server.ts'
import type { ChatTarget } from '../chat/stream-chat.ts'

export interface FrontOptions {
  readonly command: readonly string[]
  readonly flavor: UpstreamFlavor
  readonly baseUrl: string
  /** Names there. */
  readonly models: readonly string[]
  readonly maxConcurrent: number
  readonly contextTokens: number
}

export interface Front extends AsyncDisposable {
  readonly pid: number
  /** Returns the target of requests, with the key of a paying account. */
  target(model: string): ChatTarget
}

const mail = 'bench@example.org'

/** Starts inferd in front of a server, with prices and an account with money. */
export async function startFront({ command, models, ...behind }: FrontOptions): Promise<Front> {
  let apiKey = ''
  const server = await startInferd(command, [], async (data, run) => {
    mkdirSync(join(data, 'models.d'), { recursive: true })
    for (const model of models) writeFileSync(join(data, 'models.d', `${model}.toml`), manifest(model, behind))
    await run(['users', 'create', mail, '--name', 'bench'])
    await run(['credit', mail, '1000', '--memo', 'bench'])
    // Parse boundary: an undefined key is refused by the first request.
    apiKey = (JSON.parse(await run(['keys', 'create', '--name', 'paid', '--account', mail])) as { key: string }).key
  })
  return {
    pid: server.pid,
    target: (model) => ({ baseUrl: server.baseUrl, apiKey, model: `bench/${model}` }),
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

function manifest(
  model: string,
  { flavor, baseUrl, maxConcurrent, contextTokens }: Omit<FrontOptions, 'command' | 'models'>,
): string {
  return stringify({
    id: `bench/${model}`,
    type: 'chat',
    engine: 'upstream',
    context_length: contextTokens,
    pricing: { input: 0.1, output: 0.4, unit: '1M_tokens' },
    upstream: { flavor, model, endpoints: [baseUrl], max_concurrent: maxConcurrent },
  })
}
