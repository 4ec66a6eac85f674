/** Grants and cancels at moments that are too short with real decoding; the test ends each step. */
import { describe, expect, test } from 'bun:test'
import { nothingConsumed } from '../../../core/usage.ts'
import { lastOf, upTo } from '../../../testing/grants.ts'
import { everything, outputTokens, startHeldLoop } from '../../../testing/held-loop.ts'

const prompt = [10, 11, 12]

describe('an answer at the end of its grant', () => {
  test('is decoded no further, asks once and goes on with the next grant', async () => {
    const { loop, add, goOn, decoding, told, textTokens } = startHeldLoop()
    add(1, prompt, upTo(4))
    await goOn(2)
    expect(told(1)).toEqual([
      { id: 1, event: expect.objectContaining({ type: 'start' }) },
      { id: 1, wantsGrant: true },
    ])
    await goOn(2)
    expect(decoding()).toEqual([])
    expect(loop.stats()).toMatchObject({ steps: 4, running: 1, waiting: 0, generatedTokens: 4 })
    loop.grant(1, upTo(6))
    expect(decoding()).toEqual([0])
    await goOn(2)
    expect([decoding(), textTokens(1)]).toEqual([[], 6])
    expect(told(1).filter((item) => 'wantsGrant' in item)).toHaveLength(2)
  })

  test('ends with `length` at once when the last grant is behind it', async () => {
    const { loop, add, goOn, told } = startHeldLoop()
    add(1, prompt, upTo(2))
    await goOn(2)
    loop.grant(1, lastOf(2))
    const usage = { ...nothingConsumed, promptTokens: 3, cachedTokens: 0, completionTokens: 2, reasoningTokens: 0 }
    expect(told(1).slice(-2)).toEqual([
      { id: 1, event: { type: 'choice-finish', choice: 0, reason: 'length' } },
      { id: 1, event: { type: 'finish', usage } },
    ])
    expect(loop.stats()).toMatchObject({ steps: 2, running: 0, waiting: 0 })
  })

  test('ends there by itself when that grant was the last', async () => {
    const { add, goOn, decoding, told, textTokens } = startHeldLoop()
    add(1, prompt, upTo(2))
    add(2, prompt, lastOf(3))
    await goOn(4)
    expect([decoding(), textTokens(2)]).toEqual([[], 3])
    expect(told(2).at(-2)).toMatchObject({ event: { type: 'choice-finish', reason: 'length' } })
    expect(told(2).some((item) => 'wantsGrant' in item)).toBe(false)
  })

  test('has the grant that came while it was still decoding', async () => {
    const { loop, add, goOn, decoding, textTokens } = startHeldLoop()
    add(1, prompt, upTo(2))
    await goOn()
    loop.grant(1, lastOf(3))
    loop.grant(1, upTo(9)) // no grant comes after the last one
    await goOn(2)
    expect([decoding(), textTokens(1)]).toEqual([[], 3])
  })

  test('loses nothing to a grant of less', async () => {
    const { loop, add, goOn, decoding, textTokens } = startHeldLoop()
    add(1, prompt, upTo(4))
    await goOn(3)
    loop.grant(1, lastOf(1))
    expect(loop.stats().running).toBe(1)
    await goOn()
    expect([decoding(), textTokens(1)]).toEqual([[], 4])
  })

  test('asks at 64 tokens from a long grant, and not where its own limit comes first', async () => {
    const { add, goOn, told } = startHeldLoop()
    add(1, prompt, upTo(150))
    add(2, prompt, upTo(outputTokens))
    const asked = (id: number) => told(id).some((item) => 'wantsGrant' in item)
    await goOn(85)
    expect(asked(1)).toBe(false)
    await goOn() // 86 tokens are 64 from the end
    expect(asked(1)).toBe(true)
    await goOn(outputTokens + 1 - 86) // 2 came a step later
    expect([asked(2), told(2).at(-1)]).toMatchObject([false, { id: 2, event: { type: 'finish' } }])
  })

  test('waits with each choice for itself, and the request asks once for all', async () => {
    const { loop, add, end, goOn, told, decoding } = startHeldLoop()
    add(1, prompt, upTo(4), 2)
    await end({
      kind: 'ok',
      samples: [[{ token: 7, text: 'a' }], [{ token: 7, text: '', end: 'end-of-generation' }]],
    })
    await goOn()
    expect(decoding()).toEqual([])
    expect(told(1).filter((item) => 'wantsGrant' in item)).toHaveLength(1)
    loop.grant(1, lastOf(4))
    expect(told(1).at(-1)).toMatchObject({ event: { usage: { promptTokens: 3, completionTokens: 3 } } })
  })

  test('hears a grant that is given the moment it asks', async () => {
    const { loop, add, goOn, decoding, textTokens } = startHeldLoop({
      onEvent: (item) => {
        if ('wantsGrant' in item) loop.grant(item.id, upTo(textTokens(1) + 4))
      },
    })
    add(1, prompt, upTo(1))
    await goOn(10)
    expect([decoding(), textTokens(1)]).toEqual([[0], 10])
  })
})

describe('a grant of nothing', () => {
  test('computes nothing, and as the last one ends the answer', async () => {
    const { loop, add, steps, told } = startHeldLoop()
    add(1, prompt, upTo(0), 2)
    expect(told(1)).toEqual([{ id: 1, wantsGrant: true }])
    expect(steps).toHaveLength(0)
    loop.grant(1, lastOf(0))
    const usage = { ...nothingConsumed, promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 }
    expect(told(1).slice(1)).toEqual([
      { id: 1, event: { type: 'start', promptTokens: 3, cachedTokens: 0 } },
      { id: 1, event: { type: 'choice-finish', choice: 0, reason: 'length' } },
      { id: 1, event: { type: 'choice-finish', choice: 1, reason: 'length' } },
      { id: 1, event: { type: 'finish', usage } },
    ])
    expect(steps).toHaveLength(0)
  })

  test('followed by one of something begins the answer', async () => {
    const { loop, add, goOn, textTokens, decoding } = startHeldLoop()
    add(1, prompt, upTo(0), 2)
    loop.grant(1, upTo(2))
    await goOn()
    expect([textTokens(1), decoding()]).toEqual([2, []])
  })
})

describe('who waits for a grant', () => {
  test('leaves its place to others when nobody works, and comes back to it', async () => {
    const { loop, add, goOn, steps, decoding, told, textTokens } = startHeldLoop({ sequences: 1 })
    add(1, prompt, upTo(2))
    await goOn(2)
    add(2, [20, 21], lastOf(2))
    expect(Array.from(steps.at(-1)?.batch.tokens ?? [])).toEqual([20, 21])
    expect(loop.stats()).toMatchObject({ running: 1, waiting: 1 })
    loop.grant(1, lastOf(3))
    await goOn(2)
    expect(told(2).at(-1)).toMatchObject({ id: 2, event: { type: 'finish' } })
    expect(Array.from(steps.at(-1)?.batch.tokens ?? [])).toEqual([...prompt, 100, 100])
    await goOn()
    const usage = { ...nothingConsumed, promptTokens: 3, cachedTokens: 0, completionTokens: 3, reasoningTokens: 0 }
    expect(told(1).at(-1)).toEqual({ id: 1, event: { type: 'finish', usage } })
    expect([decoding(), textTokens(1), told(1)[0]]).toEqual([
      [],
      3,
      expect.objectContaining({ event: expect.anything() }),
    ])
    expect(told(1).filter((item) => 'event' in item && item.event.type === 'start')).toHaveLength(1)
  })

  test('comes back once', async () => {
    const { loop, add, goOn, decoding, textTokens } = startHeldLoop({ sequences: 2 })
    add(1, prompt, upTo(2))
    await goOn(2)
    add(2, [20, 21], lastOf(4), 2) // wants both places
    loop.grant(1, upTo(4))
    await goOn(3)
    expect(decoding()).toHaveLength(1)
    loop.grant(1, lastOf(6))
    await goOn(3)
    expect([decoding(), textTokens(1), loop.stats().waiting]).toEqual([[], 6, 0])
  })

  test('keeps its place while others work', async () => {
    const { loop, add, goOn, decoding } = startHeldLoop({ sequences: 2 })
    add(1, prompt, upTo(2))
    add(2, [20, 21])
    await goOn(2)
    add(3, [30])
    await goOn(2)
    expect(decoding()).toEqual([1])
    expect(loop.stats()).toMatchObject({ running: 2, waiting: 1 })
    loop.grant(1, upTo(4))
    await goOn()
    expect(decoding()).toEqual([0, 1])
  })

  test('ends without a place when its last grant is behind it', async () => {
    const { loop, add, goOn, told } = startHeldLoop({ sequences: 1 })
    add(1, prompt, upTo(2))
    await goOn(2)
    add(2, [20, 21], lastOf(2))
    loop.grant(1, lastOf(2))
    await goOn(2)
    expect([told(1).at(-1), told(2).at(-1)]).toMatchObject([
      { id: 1, event: { type: 'finish' } },
      { id: 2, event: { type: 'finish' } },
    ])
    expect(loop.stats()).toMatchObject({ running: 0, waiting: 0 })
  })

  test('makes room first when the cache is full, and nobody is cut short for it', async () => {
    const { loop, add, end, goOn, decoding, told, textTokens } = startHeldLoop()
    add(1, prompt, upTo(2))
    add(2, [20, 21], lastOf(4))
    await goOn(2)
    await end({ kind: 'cache-full' })
    expect(decoding()).toEqual([1])
    loop.grant(1, upTo(3))
    await goOn(3)
    expect([told(2).at(-1), textTokens(2)]).toMatchObject([{ id: 2, event: { type: 'finish' } }, 4])
    await goOn()
    expect([textTokens(1), decoding()]).toEqual([3, []]) // placed again, up to its grant
  })

  test('is no reason to put another off when it ended while the cache ran full', async () => {
    const { loop, add, end, goOn, decoding, told } = startHeldLoop()
    add(1, prompt, upTo(2))
    add(2, [20, 21], lastOf(3))
    await goOn(2)
    loop.grant(1, lastOf(2))
    await end({ kind: 'cache-full' })
    expect(decoding()).toEqual([1])
    await goOn(2)
    expect(told(2).at(-2)).toEqual({ id: 2, event: { type: 'choice-finish', choice: 0, reason: 'length' } })
  })

  test('does not keep away who was put off for the full cache', async () => {
    const { add, end, goOn, steps } = startHeldLoop()
    add(1, prompt, upTo(3))
    add(2, [20, 21])
    await goOn(2)
    await end({ kind: 'cache-full' }) // 2 is put off
    await goOn()
    expect(Array.from(steps.at(-1)?.batch.tokens ?? [])).toEqual([20, 21, 101])
  })
})

describe('a cancelled request', () => {
  test('pays for the step in flight, but for no token that nobody takes', async () => {
    const { loop, add, goOn, told, textTokens } = startHeldLoop({ batchTokens: 2 })
    add(1, [10, 11, 12, 13, 14])
    await goOn()
    loop.cancel(1)
    loop.cancel(1)
    expect(told(1)).toHaveLength(1)
    await goOn()
    const cancelled = { ...nothingConsumed, promptTokens: 4, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 }
    expect(told(1).slice(1)).toEqual([{ id: 1, cancelled }])
    expect(loop.stats()).toMatchObject({ running: 0, waiting: 0, decodedPromptTokens: 4, generatedTokens: 0 })
    add(2, [20, 21])
    await goOn(2)
    loop.cancel(2)
    await goOn()
    expect(told(2).at(-1)).toMatchObject({ cancelled: { promptTokens: 2, completionTokens: 2 } })
    expect([textTokens(2), loop.stats()]).toEqual([2, expect.objectContaining({ generatedTokens: 2 })])
  })

  test('is never decoded if it waited', async () => {
    const { loop, add, goOn, doing, steps } = startHeldLoop({ sequences: 1 })
    add(1, prompt, lastOf(1))
    add(2, [20, 21])
    loop.cancel(2)
    await goOn()
    expect([doing(), steps.length]).toEqual(['nothing', 1])
  })

  test('has used nothing while it waited', async () => {
    const { loop, add, goOn, told } = startHeldLoop({ sequences: 1 })
    add(1, prompt)
    add(2, [20, 21])
    loop.cancel(2)
    await goOn()
    const cancelled = { ...nothingConsumed, promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 }
    expect(told(2)).toEqual([{ id: 2, cancelled }])
    loop.cancel(1)
    await goOn()
    expect(loop.stats()).toMatchObject({ running: 0, waiting: 0 })
  })

  test('is told at once when no step is in flight, paused or put off', async () => {
    const { loop, add, goOn, told, decoding } = startHeldLoop({ sequences: 1 })
    add(1, prompt, upTo(2))
    await goOn(2)
    add(2, [20, 21], upTo(1)) // 1 loses its place
    await goOn()
    expect(decoding()).toEqual([])
    loop.cancel(1)
    expect(told(1).at(-1)).toMatchObject({ cancelled: { promptTokens: 3, completionTokens: 2 } })
    loop.cancel(2)
    expect(told(2).at(-1)).toMatchObject({ cancelled: { promptTokens: 2, completionTokens: 1 } })
    loop.grant(1, everything)
    loop.grant(2, everything)
    expect(decoding()).toEqual([])
    expect(loop.stats()).toMatchObject({ running: 0, waiting: 0 })
  })

  test('pays once for a prompt that was computed twice', async () => {
    const { loop, add, end, goOn, told } = startHeldLoop({ batchTokens: 4 })
    add(1, [10, 11])
    add(2, [20, 21, 22, 23, 24, 25])
    await goOn(3) // 2 has its first token
    await end({ kind: 'cache-full' })
    loop.cancel(1)
    await goOn()
    loop.cancel(2) // while four of its tokens are computed again
    await goOn()
    expect(told(2).at(-1)).toMatchObject({ cancelled: { promptTokens: 6, completionTokens: 1 } })
    expect(loop.stats().decodedPromptTokens).toBe(2 + 6)
  })

  test('that has ended already is told nothing', async () => {
    const { loop, add, goOn, told } = startHeldLoop()
    add(1, prompt, lastOf(1))
    await goOn()
    loop.cancel(1)
    expect(told(1).at(-1)).toMatchObject({ id: 1, event: { type: 'finish' } })
  })
})

test('what all requests used is what was computed', async () => {
  const { loop, add, goOn, emitted, decoding } = startHeldLoop({ sequences: 2, batchTokens: 8 })
  for (let id = 1; id <= 6; id++) add(id, [id, 11, 12, 13, 14], upTo(id), id % 2 === 0 ? 2 : 1)
  for (let step = 0; step < 40; step++) {
    if (step % 5 === 1) loop.cancel(1 + step / 5)
    if (decoding().length === 0) for (let id = 1; id <= 6; id++) loop.grant(id, id < 4 ? lastOf(id + 1) : upTo(step))
    if (decoding().length === 0) break
    await goOn()
  }
  for (let id = 1; id <= 6; id++) loop.cancel(id)
  if (decoding().length > 0) await goOn()
  const usages = emitted.flatMap((item) => {
    if ('cancelled' in item) return [item.cancelled]
    return 'event' in item && item.event.type === 'finish' ? [item.event.usage] : []
  })
  const { generatedTokens, decodedPromptTokens, running, waiting } = loop.stats()
  expect(usages).toHaveLength(6)
  expect(usages.reduce((sum, usage) => sum + usage.completionTokens, 0)).toBe(generatedTokens)
  expect(usages.reduce((sum, usage) => sum + usage.promptTokens, 0)).toBe(decodedPromptTokens)
  expect([running, waiting]).toEqual([0, 0])
})
