/** The encoder of a speech, whose memory native code owns, is closed exactly once, however the request ends. */
import { expect, test } from 'bun:test'
import type { WorkEvent } from '../../../core/work.ts'
import type { RequestEvent } from '../../protocol/request-events.ts'
import { PartsLoop } from '../../shared/parts-loop.ts'
import { StepClock } from '../../shared/step-clock.ts'
import { speaking } from './speak.ts'

/** Speeches whose sentences are synthesized at once, and encoded in two pieces when the test lets them. */
function start() {
  const calls: string[] = []
  const encoding: PromiseWithResolvers<void>[] = []
  const events: RequestEvent<WorkEvent<'speak'>>[] = []
  const lines: string[] = []
  const clock = new StepClock()
  const engine = speaking({
    ...{ lanes: 1, clock, log: (line) => void lines.push(line) },
    synthesizer: { kind: 'vits', voices: [{ name: 'Ada', speaker: 0, aliases: [] }] },
    speaker: {
      needsWords: false,
      speak: async ({ text }) => {
        if (text.includes('broken')) throw new Error('no voice')
        return Int16Array.of(1)
      },
      silence: () => Int16Array.of(0),
      openEncoder: () => ({
        push: () => Uint8Array.of(0),
        end: () => {
          calls.push('end')
          return Uint8Array.of(9)
        },
        close: () => void calls.push('close'),
      }),
      async *encode() {
        yield Uint8Array.of(1)
        const more = Promise.withResolvers<void>()
        encoding.push(more)
        await more.promise
        yield Uint8Array.of(2)
      },
    },
  })
  const loop = new PartsLoop(engine, { lanes: 1, threadsPerLane: 1, clock, emit: (more) => events.push(...more) })
  return {
    ...{ loop, calls, encoding, lines },
    speak: async (input: string) => {
      const request = { input, voice: 'Ada', speed: 1, format: 'pcm' } as const
      loop.add(1, 'a', { kind: 'speak', request })
      loop.grant(1)
      await turn()
    },
    bytes: () =>
      events.flatMap((item) => ('event' in item && item.event.type === 'audio' ? [...item.event.bytes] : [])),
    last: () => events.at(-1),
  }
}

const turn = () => new Promise(setImmediate)

test('it is closed behind its last bytes', async () => {
  const { speak, encoding, bytes, calls, last } = start()
  await speak('One.')
  encoding[0]?.resolve()
  await turn()
  expect(bytes()).toEqual([1, 2, 9])
  expect(calls).toEqual(['end', 'close'])
  expect(last()).toMatchObject({ event: { type: 'finish', usage: { characters: 4 } } })
})

test('a request that is cancelled closes it when it is not at work, and sends no more of it', async () => {
  const { loop, speak, encoding, bytes, calls, last } = start()
  await speak('One sentence. Another sentence.')
  loop.cancel(1)
  expect(calls).toEqual([])
  encoding[0]?.resolve()
  await turn()
  expect([bytes(), calls]).toEqual([[1], ['close']])
  expect(last()).toMatchObject({ cancelled: { characters: 31 } })
})

test('a request that fails closes it', async () => {
  const { speak, calls, last, lines } = start()
  await speak('broken')
  expect(calls).toEqual(['close'])
  expect(last()).toMatchObject({ error: { code: 'engine_failed' } })
  expect(lines).toEqual(['request failed: Error: no voice'])
})
