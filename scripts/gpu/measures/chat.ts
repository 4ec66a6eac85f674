import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { textParts } from '../../../src/testing/text-parts.ts'
import { type CacheChoice, InferdPeer } from '../../bench/chat/inferd-peer.ts'
import { LlamaServerPeer } from '../../bench/chat/llama-server-peer.ts'
import { measureLevel } from '../../bench/chat/measure.ts'
import type { Peer } from '../../bench/chat/peer.ts'
import { phasesText, watchSteps } from '../../bench/chat/watch-steps.ts'
import { ask } from '../../smoke/client.ts'
import { clientOf, cudaFolder, type Kit, loadedLibraries, startServer } from '../kit.ts'
import type { Note, Scope } from '../parts.ts'

const promptTokens = 300
const tokens = 128
/** Context of a stream in tokens. */
const contextTokens = 512
/** CPU threads of each program. One core is left for this script. */
const threads = Math.max(1, navigator.hardwareConcurrency - 1)
const settings = { seed: 1, tokens, temperature: 0.8, promptTokens }

/** Measures tokens per second of inferd with this KV cache. */
export function chatMeasure(cache: CacheChoice): (kit: Kit, note: Note, scope: Scope) => Promise<void> {
  return (kit, note, scope) =>
    measurePeer(new InferdPeer(kit.inferd, { ...peerOptions(kit), more: [] }, cache), kit, note, scope)
}

/**
 * Measures the same for llama.cpp's own server, with these arguments and inferd's libraries. With `--backend-sampling`
 * the device also chooses the tokens, and no logits are copied back.
 */
export function llamaServerMeasure(...words: readonly string[]): (kit: Kit, note: Note, scope: Scope) => Promise<void> {
  return async (kit, note, scope) => {
    if (kit.llamaServer === undefined) return note('not run', 'the kit was packed without llama-server')
    const binary = await besideLibraries(kit, kit.llamaServer, 'llama-server', scope)
    const more = [...words, ...(kit.device === 'cpu' ? ['--n-gpu-layers', '0'] : [])]
    const peer = new LlamaServerPeer({ binary, isUnified: false }, { ...peerOptions(kit), more })
    await measurePeer(peer, kit, note, scope)
  }
}

/**
 * Measures the same numbers for llama.cpp's bare decode loop, with this KV cache and the same libraries: no sampling,
 * no text, no HTTP.
 */
export function bareMeasure(
  cache: Exclude<CacheChoice, 'default'>,
): (kit: Kit, note: Note, scope: Scope) => Promise<void> {
  return (kit, note, scope) => measureBareLoop(kit, cache === 'one' ? ['--kv-unified'] : [], note, scope)
}

async function measureBareLoop(kit: Kit, more: readonly string[], note: Note, scope: Scope): Promise<void> {
  if (kit.batchedBench === undefined) return note('not run', 'the kit was packed without llama-batched-bench')
  const binary = await besideLibraries(kit, kit.batchedBench, 'llama-batched-bench', scope)
  const cells = Math.max(...kit.streams) * contextTokens
  const words = [
    ...[
      '-m',
      kit.model,
      '-c',
      `${cells}`,
      '-npp',
      `${promptTokens}`,
      '-ntg',
      `${tokens}`,
      '-npl',
      kit.streams.join(','),
    ],
    ...['-t', `${threads}`, '-tb', `${threads}`, '--output-format', 'jsonl', '-ngl', kit.device === 'cpu' ? '0' : '99'],
    ...more,
  ]
  const child = Bun.spawn([binary, ...words], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  scope.add(() => child.kill('SIGKILL'))
  const errors = child.stderr.text()
  for await (const line of textParts(child.stdout)) {
    if (!line.startsWith('{')) continue
    const { pl, speed_tg: decoding, speed_pp: prompts } = JSON.parse(line)
    note(`${pl} streams`, `${decoding.toFixed(0)} tokens/s decoded, prompts ${prompts.toFixed(0)}`)
  }
  const code = await child.exited
  if (code !== 0) throw new Error(`llama-batched-bench ended with ${code}: ${(await errors).slice(-300)}`)
}

function peerOptions({ model, device, streams, logFile }: Kit) {
  const sized = { streams: Math.max(...streams), contextTokens }
  return { model, threads, device, sized, logFile, isInPlace: true }
}

async function measurePeer(peer: Peer, { streams }: Kit, note: Note, scope: Scope): Promise<void> {
  scope.add(() => peer.stop())
  const startMs = await peer.start()
  await measureLevel(peer, 1, 1, { ...settings, promptTokens: 16, tokens: 4 }) // loads the model
  note('start', `${startMs.toFixed(0)} ms`)
  for (const level of streams) {
    const { figures, decoding } = await measureWatched(peer, level)
    const { tokensPerSecond, firstTokenP50Ms, gapP50Ms, endedEarly } = figures
    const early = endedEarly === 0 ? '' : `, ${endedEarly} ended early`
    const detail = `first token ${firstTokenP50Ms.toFixed(0)} ms, between tokens ${gapP50Ms.toFixed(1)} ms${early}`
    note(`${level} streams`, `${tokensPerSecond.toFixed(0)} tokens/s, ${detail}`)
    if (decoding === undefined) continue
    note(`${level} streams, steps`, `${decoding.tokensPerSecond.toFixed(0)} tokens/s decoded, ${phasesText(decoding)}`)
  }
}

/** Measures, and also returns the phases of inferd's steps while all streams decode. */
async function measureWatched(peer: Peer, streams: number) {
  const run = () => measureLevel(peer, 0, streams, settings)
  if (!(peer instanceof InferdPeer)) return { figures: await run(), decoding: undefined }
  const { result, decoding } = await watchSteps(peer.server(), { streams, tokens }, run)
  return { figures: result, decoding }
}

/**
 * Puts a program of llama.cpp beside inferd's libraries for the device, where it looks for backends. The server of that
 * folder stays idle until the part ends.
 */
async function besideLibraries(kit: Kit, program: string, name: string, scope: Scope): Promise<string> {
  const server = await startServer(kit, scope, ['--device', kit.device])
  await ask(clientOf(server))
  const folder = loadedLibraries(server)
  if (folder === undefined) throw new Error("inferd's engine has loaded no llama.cpp")
  const binary = join(folder, name)
  copyFileSync(program, binary)
  chmodSync(binary, 0o755)
  scope.add(() => rmSync(binary))
  // The backend and NVIDIA's libraries are in another folder, but are looked for beside the program.
  const backend = cudaFolder(folder)
  for (const name of existsSync(backend) ? readdirSync(backend) : []) {
    const linked = join(folder, name)
    if (existsSync(linked)) continue
    symlinkSync(join(backend, name), linked)
    scope.add(() => rmSync(linked))
  }
  return binary
}
