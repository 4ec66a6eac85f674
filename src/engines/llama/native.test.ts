import { heapStats } from 'bun:jsc'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { damageGguf } from '../../testing/gguf/damage-gguf.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { greedySampler, openTestAddon, testContextOptions } from '../../testing/native-options.ts'
import type {
  NativeAddon,
  NativeContext,
  NativeContextOptions,
  NativeModel,
  NativeNextResult,
  NativeRendering,
  NativeSample,
  NativeSampler,
  NativeSamplerOptions,
  NativeStepper,
  NativeTemplateInputs,
} from './native.ts'
import { loadAddon } from './open-runtime.ts'
import { loadOptions, onCpu } from './placement.ts'

const root = join(import.meta.dir, '..', '..', '..')
const addonFile = join(root, 'build', 'native', 'inferd-llama.cpu.node')
const nodeLlamaCpp = join(root, 'node_modules', 'node-llama-cpp', 'package.json')
const modelPath = join(root, 'models', 'starter', 'starter-chat-q8_0.gguf')

let addon: NativeAddon
let model: NativeModel
let context: NativeContext
/** A rendered and tokenised question that any test may ask. */
let hello: Int32Array

beforeAll(async () => {
  addon = await openTestAddon()
  model = await addon.loadModel(loadOptions(modelPath, onCpu))
  context = newContext()
  hello = await promptOf('Hello, who are you?')
})

afterAll(async () => {
  await context.close()
  model.close()
})

function newContext(options: Partial<NativeContextOptions> = {}): NativeStepper {
  return new addon.Context(model, { ...testContextOptions, ...options })
}

function newSampler(options: Partial<NativeSamplerOptions> = {}): NativeSampler {
  return new addon.Sampler(model, { ...greedySampler, ...options })
}

/** Creates a sampler that allows this text alone, and then the end. */
function saying(text: string, options: Partial<NativeSamplerOptions> = {}): NativeSampler {
  return newSampler({ grammar: `root ::= ${JSON.stringify(text)}`, ...options })
}

function template(inputs: Partial<NativeTemplateInputs> = {}, rendering?: NativeRendering) {
  const all = {
    messagesJson: JSON.stringify([{ role: 'user', content: 'Hello, who are you?' }]),
    toolsJson: '',
    toolChoice: 'auto',
    parallelToolCalls: false,
    enableThinking: false,
    templateVariables: {},
    addGenerationPrompt: true,
    continueFinalMessage: false,
    ...inputs,
  } as const
  return model.applyTemplate(all, rendering)
}

async function promptOf(question: string): Promise<Int32Array> {
  const format = await template({ messagesJson: JSON.stringify([{ role: 'user', content: question }]) })
  return model.tokenize(format.prompt, true, true)
}

/** Makes one step over whole prompts or single tokens; entry i of `parts` goes on in its sequence. */
async function step(
  where: NativeContext,
  parts: readonly { sequence: number; tokens: readonly number[] | Int32Array; samplers: readonly NativeSampler[] }[],
): Promise<readonly NativeSample[]> {
  const tokens: number[] = []
  const positions: number[] = []
  const sequences: number[] = []
  const outputs: { entry: number; sampler: NativeSampler }[] = []
  for (const part of parts) {
    const start = where.maxPosition(part.sequence) + 1
    part.tokens.forEach((token, i) => {
      tokens.push(token)
      positions.push(start + i)
      sequences.push(part.sequence)
    })
    outputs.push(...part.samplers.map((sampler) => ({ entry: tokens.length - 1, sampler })))
  }
  const result = await where.step({
    tokens: Int32Array.from(tokens),
    positions: Int32Array.from(positions),
    sequences: Int32Array.from(sequences),
    outputs,
  })
  if (result.kind === 'cache-full') throw new Error('the cache is full')
  return result.samples.flat()
}

function only(samples: readonly NativeSample[]): NativeSample {
  const [sample] = samples
  if (sample === undefined || samples.length !== 1) throw new Error(`expected one sample, got ${samples.length}`)
  return sample
}

/** Generates into an emptied sequence and returns every sample. */
async function generate(
  sampler: NativeSampler,
  { where = context, sequence = 0, prompt = hello, limit = 80 } = {},
): Promise<NativeSample[]> {
  where.removeSequence(sequence, 0, -1)
  const samples = [only(await step(where, [{ sequence, tokens: prompt, samplers: [sampler] }]))]
  for (let last = samples[0]; last !== undefined && samples.length < limit; ) {
    if (last.end !== undefined || last.error !== undefined) break
    last = only(await step(where, [{ sequence, tokens: [last.token], samplers: [sampler] }]))
    samples.push(last)
  }
  return samples
}

function textOf(samples: readonly NativeSample[]): string {
  return samples.map((sample) => sample.text).join('')
}

describe('loading', () => {
  test('names the versions it was compiled for', () => {
    expect(addon.compiledAgainst.nodeLlamaCpp).toMatch(/^\d+\.\d+\.\d+$/)
    expect(addon.compiledAgainst.llamaCpp).toMatch(/^v/)
  })

  test('refuses to run beside another version of node-llama-cpp', () => {
    const folder = mkdtempSync(join(tmpdir(), 'inferd-native-'))
    mkdirSync(join(folder, 'llama'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.2.3' }))
    writeFileSync(join(folder, 'llama', 'binariesGithubRelease.json'), JSON.stringify({ release: 'v0.0.1' }))
    expect(() => loadAddon({ addonFile, nodeLlamaCpp: join(folder, 'package.json') })).toThrow(
      /node-llama-cpp 1\.2\.3 with llama\.cpp v0\.0\.1 is installed: run `bun run native`/,
    )
    rmSync(folder, { recursive: true })
  })

  test('says which file cannot be loaded', () => {
    expect(() => loadAddon({ addonFile: '/nowhere.node', nodeLlamaCpp })).toThrow(/\/nowhere\.node cannot be loaded/)
  })

  test('refuses objects that are not its own models', () => {
    expect(() => new addon.Context({} as never, {} as never)).toThrow(TypeError)
    expect(() => Reflect.construct(model.constructor, [{}])).toThrow(/made by loadModel/)
  })

  test('checks what it is told', () => {
    const options = loadOptions(modelPath, onCpu)
    expect(() => addon.loadModel({ ...options, devices: [0] })).toThrow(/devices must be a whole number/)
    expect(() => addon.loadModel({ ...options, gpuLayers: -2 })).toThrow(RangeError)
    expect(() => addon.loadModel({ ...options, loadMode: 'lazy' as never })).toThrow(
      /loadMode must be one of mmap, buffered, direct/,
    )
  })

  test.each(['mmap', 'buffered', 'direct'] as const)('loads a file %s, and tells how far it is', async (loadMode) => {
    const loaded = await addon.loadModel({ ...loadOptions(modelPath, onCpu), loadMode })
    expect(addon.loadProgress()).toBe(1)
    expect(loaded.info).toEqual(model.info)
    loaded.close()
  })

  test('says in the words of llama.cpp what is wrong with a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'inferd-native-'))
    const load = async (bytes: Uint8Array) => {
      const path = join(folder, 'model.gguf')
      writeFileSync(path, bytes)
      return addon.loadModel(loadOptions(path, onCpu)).catch((error: Error) => error)
    }
    expect(await load(damageGguf(tinyGguf(), 'wrong-magic'))).toMatchObject({
      code: 'LOAD_FAILED',
      message: expect.stringContaining('invalid magic characters'),
    })
    expect(await load(damageGguf(tinyGguf(), 'cut-in-data'))).toMatchObject({
      code: 'LOAD_FAILED',
      message: expect.stringContaining('not within the file bounds'),
    })
    rmSync(folder, { recursive: true })
  })

  test('a closed model serves those that have it, and nobody else', async () => {
    const closed = await addon.loadModel(loadOptions(modelPath, onCpu))
    const where = new addon.Context(closed, testContextOptions)
    const sampler = new addon.Sampler(closed, greedySampler)
    closed.close()
    expect(() => closed.tokenBytes(1, true)).toThrow(/closed/)
    expect(() => new addon.Context(closed, testContextOptions)).toThrow(/closed/)
    expect(await step(where, [{ sequence: 0, tokens: hello, samplers: [sampler] }])).toHaveLength(1)
    await where.close()
  })
})

describe('model', () => {
  test('describes itself', () => {
    expect(model.info.vocabularySize).toBeGreaterThan(1000)
    expect(model.info.description).not.toBe('')
    expect(model.info.isRecurrent).toBe(false)
  })

  test('turns text into tokens and tokens into the same bytes', async () => {
    const text = 'Grüße, 世界 😀'
    const bytes = [...(await model.tokenize(text, false, false))].flatMap((token) => [
      ...model.tokenBytes(token, false),
    ])
    expect(new TextDecoder().decode(Uint8Array.from(bytes))).toBe(text)
  })

  test('recognises special tokens only when asked to', async () => {
    expect(await model.tokenize('<|im_end|>', false, true)).toHaveLength(1)
    expect((await model.tokenize('<|im_end|>', false, false)).length).toBeGreaterThan(1)
    const [token = -1] = await model.tokenize('<|im_end|>', false, true)
    expect(model.tokenBytes(token, false)).toHaveLength(0)
    expect(new TextDecoder().decode(model.tokenBytes(token, true))).toBe('<|im_end|>')
  })
})

const weatherTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { enum: ['Paris'] } }, required: ['city'] },
  },
}

describe('chat format', () => {
  test('renders the prompt up to where the answer begins', async () => {
    const { prompt } = await template()
    expect(prompt).toContain('Hello, who are you?')
    expect(prompt).toContain('<|im_start|>assistant')
  })

  test('splits reasoning from the answer, also while it is being written', async () => {
    const format = await template({ enableThinking: true })
    expect(format.thinkingStartTag).toBe('<think>')
    expect(format.parse('<think>\nI know')).toMatchObject({ reasoning: 'I know', content: '' })
    expect(format.parse('<think>\nI know\n</think>\n\nHello')).toMatchObject({
      reasoning: 'I know\n',
      content: 'Hello',
    })
  })

  test('reads a tool call and lets its arguments grow', async () => {
    const format = await template({ toolsJson: JSON.stringify([weatherTool]) })
    expect(format.prompt).toContain('get_weather')
    expect(format.grammar).not.toBe('')
    expect(format.grammarLazy).toBe(true)
    const answer = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
    const { toolCalls } = format.parse(answer)
    expect(toolCalls).toHaveLength(1)
    expect(toolCalls[0]?.name).toBe('get_weather')
    expect(JSON.parse(toolCalls[0]?.arguments ?? '')).toEqual({ city: 'Paris' })
    for (let length = 0; length <= answer.length; length++) format.parse(answer.slice(0, length))
  })

  test('says what it has read last and whether the rest can still fit', async () => {
    const format = await template({ toolsJson: JSON.stringify([weatherTool]) })
    expect(format.parse('hü <')).toMatchObject({
      fits: true,
      isComplete: false,
      last: { kind: 'text', start: 0, end: 3 },
    })
    const answer = 'ü<tool_call>\n{"name": "get_weather", "arguments": {"city"'
    const start = answer.indexOf('{"city"')
    expect(format.parse(answer).last).toEqual({ kind: 'arguments', start, end: answer.length })
    expect(format.parse(`${answer}: "Paris"}}\n</tool_call>`).isComplete).toBe(true)
    expect(format.parse('<tool_call>\nno call')).toMatchObject({ fits: false, toolCalls: [], content: '' })
  })

  test('reads no arguments that are nested too deeply', async () => {
    const format = await template({ toolsJson: JSON.stringify([weatherTool]) })
    const nested = (depth: number) =>
      format.parse(`<tool_call>\n{"name": "get_weather", "arguments": {"city": ${'['.repeat(depth)}`)
    expect(nested(400)).toMatchObject({ fits: true, toolCalls: [{ name: 'get_weather' }] })
    expect(nested(100_000)).toMatchObject({ fits: false, toolCalls: [] })
  })

  test('passes on what the input is refused for', async () => {
    await expect(template({ messagesJson: 'not json' })).rejects.toThrow()
    await expect(template({ messagesJson: '[]' })).rejects.toThrow(/messages must not be empty/)
    await expect(template({ messagesJson: '[{"role":"user"}]' })).rejects.toThrow(/Expected 'content' or 'tool_calls'/)
    await expect(template({ toolsJson: '{' })).rejects.toThrow()
    await expect(template({ templateVariables: { custom: 'not json' } })).rejects.toThrow()
    await expect(template({ toolsJson: '['.repeat(100_000) })).rejects.toThrow(/nested too deeply/)
  })

  test('limits hold for all renderings of a request together', async () => {
    await model.checkTemplate()
    const long = { messagesJson: JSON.stringify([{ role: 'user', content: 'x'.repeat(5000) }]) }
    const small = new addon.Rendering({ cpuMs: 10_000, textBytes: 4096 })
    expect((await template({}, small)).prompt).toContain('Hello')
    await expect(template(long, small)).rejects.toMatchObject({
      code: 'RENDER_STOPPED',
      message: 'it makes too much text',
    })
    const brief = new addon.Rendering({ cpuMs: 1, textBytes: 1 << 20 })
    const many = { messagesJson: JSON.stringify(Array.from({ length: 1000 }, () => ({ role: 'user', content: 'x' }))) }
    await expect(template(many, brief)).rejects.toMatchObject({ code: 'RENDER_STOPPED', message: 'it takes too long' })
    await expect(template({}, brief)).rejects.toMatchObject({ code: 'RENDER_STOPPED' })
  })

  test('a cancelled rendering ends, and so do those that follow', async () => {
    const rendering = new addon.Rendering({ cpuMs: 60_000, textBytes: 1 << 20 })
    const many = { messagesJson: JSON.stringify(Array.from({ length: 5000 }, () => ({ role: 'user', content: 'x' }))) }
    const begun = template(many, rendering)
    rendering.cancel()
    await expect(begun).rejects.toMatchObject({ code: 'RENDER_STOPPED', message: 'it was cancelled' })
    await expect(template({}, rendering)).rejects.toMatchObject({ code: 'RENDER_STOPPED' })
  })
})

describe('generation', () => {
  test('the most likely text ends by itself', async () => {
    const samples = await generate(newSampler())
    expect(textOf(samples)).toMatch(/inferd/)
    expect(samples.at(-1)?.end).toBe('end-of-generation')
  })

  test('sequences of one batch say what they say alone', async () => {
    const questions = ['Hello, who are you?', 'What is 2 + 2?', 'What is the capital of France?']
    const alone: string[] = []
    for (const question of questions)
      alone.push(textOf(await generate(newSampler(), { prompt: await promptOf(question) })))

    const where = newContext()
    const prompts = await Promise.all(questions.map(promptOf))
    const slots = prompts.map((prompt, sequence) => {
      return { sequence, tokens: [...prompt], samplers: [newSampler()], text: '' }
    })
    for (let running = slots; running.length > 0; ) {
      const samples = await step(where, running)
      running = running.filter((slot, i) => {
        slot.text += samples[i]?.text
        slot.tokens = [samples[i]?.token ?? -1]
        return samples[i]?.end === undefined
      })
    }
    expect(slots.map((slot) => slot.text)).toEqual(alone)
    await where.close()
  })

  test('the garbage collector knows how large a sampler is', () => {
    const logitBias = Array.from({ length: 200_000 }, (_, index) => [index % 1000, 1]).flat()
    Bun.gc(true)
    const before = heapStats().extraMemorySize
    const held = Array.from({ length: 3 }, () => newSampler({ logitBias }))
    expect(heapStats().extraMemorySize - before).toBeGreaterThan(held.length * 1e6)
  })

  test('the seed decides the text', async () => {
    const say = async (seed: number) => textOf(await generate(newSampler({ seed, temperature: 3 }), { limit: 20 }))
    expect(await say(7)).toBe(await say(7))
    expect(await say(7)).not.toBe(await say(8))
    // All 32 bits of the seed count, and the value that llama.cpp reserves for a random seed is an ordinary one here.
    expect(await say(4_000_000_000)).not.toBe(await say(4_000_000_001))
    expect(await say(0xffffffff)).toBe(await say(0xffffffff))
    expect(await say(-1)).toBe(await say(0xffffffff))
  })

  test('a bias of nothing, which makes a copy of the logits, changes no choice', async () => {
    for (const topK of [0, 2, 20, 100, 5000]) {
      const options = { temperature: 1.5, topK, seed: topK }
      const plain = textOf(await generate(newSampler(options), { limit: 30 }))
      const copied = textOf(await generate(newSampler({ ...options, logitBias: [5, 0] }), { limit: 30 }))
      expect(plain).toBe(copied)
    }
  })

  test('the top k of the few tokens that a grammar allows are all of them', async () => {
    const where = newContext()
    const options = { temperature: 100, topK: 20, grammar: 'root ::= [0-9]' }
    const samplers = Array.from({ length: 24 }, (_, seed) => newSampler({ ...options, seed }))
    const samples = await step(where, [{ sequence: 0, tokens: [1, 2, 3], samplers }])
    expect(new Set(samples.map(({ token }) => token)).size).toBeGreaterThan(4)
    await where.close()
  })

  describe('a step behind the one that runs', () => {
    /** The result is the same if the running step ended before another one could wait. */
    const skipped: NativeNextResult = { kind: 'skipped' }
    const fresh = (seed: number, options = {}) => newSampler({ seed, temperature: 0.8, topK: 0, ...options })

    /** Generates in two sequences at once. `goesOn`: queues steps behind the running one as long as possible. */
    async function generateTwo(
      where: NativeStepper,
      samplers: readonly NativeSampler[],
      count: number,
      goesOn: boolean,
    ) {
      const parts = samplers.map((sampler, sequence) => ({ sequence, tokens: hello, samplers: [sampler] }))
      let last = await step(where, parts)
      const all = [last]
      while (all.length < count) {
        const positions = samplers.map((_, sequence) => where.maxPosition(sequence) + 1)
        let running: Promise<NativeNextResult> | undefined = where.step({
          tokens: Int32Array.from(last, ({ token }) => token),
          positions: Int32Array.from(positions),
          sequences: Int32Array.from(samplers.keys()),
          outputs: samplers.map((sampler, entry) => ({ entry, sampler })),
        })
        while (running !== undefined) {
          const next: Promise<NativeNextResult> | undefined =
            goesOn && all.length + 1 < count ? where.nextStep() : undefined
          const result: NativeNextResult = await running
          if (result.kind === 'cache-full') throw new Error('the cache is full')
          if (result.kind === 'ok') {
            last = result.samples.flat()
            all.push(last)
          }
          running = result.kind === 'ok' ? next : undefined
        }
      }
      return all
    }

    test('samples what a step of its own would', async () => {
      const generated: NativeSample[][][] = []
      for (const goesOn of [false, true]) {
        const where = newContext()
        const samplers = [fresh(1), fresh(2, { presencePenalty: 1, topLogprobs: 2 })]
        generated.push((await generateTwo(where, samplers, 12, goesOn)).map((samples) => [...samples]))
        expect(where.maxPosition(1)).toBe(hello.length + 10)
        await where.close()
      }
      expect(generated[1]).toEqual(generated[0] ?? [])
    })

    const oneToken = (where: NativeStepper, token: number, samplers: readonly NativeSampler[]) =>
      step(where, [{ sequence: 0, tokens: [token], samplers }])

    test('is skipped where an answer ends, was dropped, or waits for a context that closes', async () => {
      const where = newContext()
      const sampler = saying('A')
      const { token } = only(await step(where, [{ sequence: 0, tokens: hello, samplers: [sampler] }]))
      const ending = oneToken(where, token, [sampler])
      const behindEnd = where.nextStep()
      expect(only(await ending).end).toBe('end-of-generation')
      expect((await behindEnd) ?? skipped).toEqual(skipped)
      expect(where.maxPosition(0)).toBe(hello.length)
      const running = oneToken(where, token, [fresh(3)])
      const dropped = where.nextStep()
      where.dropNextStep()
      await running
      const hasBegun = ((await dropped) ?? skipped).kind === 'ok'
      expect(where.maxPosition(0)).toBe(hello.length + (hasBegun ? 2 : 1))
      const last = oneToken(where, token, [fresh(4)])
      const behindLast = where.nextStep()
      const closed = where.close()
      await last
      expect(['ok', 'skipped']).toContain(((await behindLast) ?? skipped).kind)
      await closed
    })

    test('holds context and samplers', async () => {
      const where = newContext()
      expect(where.nextStep()).toBeUndefined()
      const sampler = fresh(5)
      const running = step(where, [{ sequence: 0, tokens: [5], samplers: [sampler] }])
      const next = where.nextStep()
      // The first step may have ended: then the second runs, and another one can wait.
      const third = where.nextStep()?.then(
        ({ kind }) => kind,
        (error: Error) => error.message,
      )
      expect(() => where.removeSequence(0, 0, -1)).toThrow('a step is running')
      expect(() => sampler.flush()).toThrow('a step is using this sampler')
      await running
      await next
      expect(['a step waits already', undefined, 'ok']).toContain(await third)
      expect(sampler.flush()).toBe('')
      await where.close()
    })

    test('is refused behind a step of prompts, or one that several samplers read', async () => {
      const refusal = 'a step follows one that samples behind one token of each sequence'
      const where = newContext()
      for (const [tokens, samplers] of [
        [[5, 6], [fresh(6)]],
        [[7], [fresh(7), fresh(8)]],
        [[7], []],
      ] as const) {
        const running = step(where, [{ sequence: 0, tokens, samplers }])
        const refused = where.nextStep()?.then(
          ({ kind }) => kind,
          (error: Error) => error.message,
        )
        expect((await refused) ?? refusal).toBe(refusal)
        await running
      }
      await where.close()
    })

    test('takes part in a failure: a full cache skips what waits', async () => {
      const where = newContext({ contextTokens: 256, sequences: 1 })
      const sampler = fresh(9)
      await step(where, [{ sequence: 0, tokens: new Int32Array(256).fill(5), samplers: [] }])
      const batch = { tokens: Int32Array.of(5), positions: Int32Array.of(256), sequences: Int32Array.of(0) }
      const running = where.step({ ...batch, outputs: [{ entry: 0, sampler }] })
      const next = where.nextStep()
      expect(await running).toEqual({ kind: 'cache-full' })
      expect((await next) ?? skipped).toEqual(skipped)
      await where.close()
    })
  })

  test('threads that share the sampling of a step choose what one alone would', async () => {
    const wide = join(mkdtempSync(join(tmpdir(), 'inferd-wide-')), 'wide.gguf')
    const moreTokens = Array.from({ length: 32_000 }, (_, index) => `<${index}>`)
    writeFileSync(wide, tinyGguf({ moreTokens }))
    const loaded = await addon.loadModel(loadOptions(wide, onCpu))
    const choose = async (threads: number) => {
      const where = new addon.Context(loaded, { ...testContextOptions, threads })
      const samplers = Array.from({ length: 12 }, (_, seed) => {
        const topLogprobs = seed % 2 === 0 ? 3 : -1
        const options = { seed, temperature: 2, topK: (seed % 3) * 20, topP: 0.9, presencePenalty: seed % 2 }
        return new addon.Sampler(loaded, { ...greedySampler, ...options, topLogprobs })
      })
      const samples: (readonly NativeSample[])[] = []
      const batch = { tokens: Int32Array.of(1), sequences: Int32Array.of(0) }
      for (let position = 0; position < 12; position++) {
        const outputs = samplers.map((sampler) => ({ entry: 0, sampler }))
        // Computing threads spin while they wait: one of them computes, and all sample.
        const result = await where.step({ ...batch, positions: Int32Array.of(position), outputs }, 1)
        samples.push(...(result.kind === 'ok' ? result.samples : []))
      }
      await where.close()
      return samples
    }
    const alone = await choose(1)
    expect(new Set(alone.flat().map(({ token }) => token)).size).toBeGreaterThan(50)
    expect(await choose(4)).toEqual(alone)
    loaded.close()
    rmSync(dirname(wide), { recursive: true })
  })

  test('a grammar decides what can be said', async () => {
    const samples = await generate(newSampler({ grammar: 'root ::= "{\\"n\\": " [0-9]{3} "}"', temperature: 1 }))
    expect(textOf(samples)).toMatch(/^\{"n": [0-9]{3}\}$/)
    expect(samples.at(-1)?.end).toBe('end-of-generation')
  })

  test('a grammar tells where the answer is: elsewhere while it counts, in the same place where it does not', async () => {
    const placesIn = async (grammar: string) => {
      const sampler = newSampler({ grammar, logitBias: [2036, -100, 2037, -100, 2038, -100] })
      const places = [sampler.grammarPlace()]
      context.removeSequence(0, 0, -1)
      for (let tokens: readonly number[] = [...hello]; places.length < 13; ) {
        tokens = [only(await step(context, [{ sequence: 0, tokens, samplers: [sampler] }])).token]
        places.push(sampler.grammarPlace())
      }
      return new Set(places).size
    }
    expect(await placesIn('root ::= [0]{1000}')).toBe(13)
    expect(await placesIn('root ::= "0"+')).toBeLessThan(4)
    expect(newSampler().grammarPlace()).toBeUndefined()
  })

  test('an answer under the grammar of a JSON schema keeps to the schema', async () => {
    const schema = {
      type: 'object',
      properties: { ok: { type: 'boolean' } },
      required: ['ok'],
      additionalProperties: false,
    }
    const grammar = await model.schemaGrammar(JSON.stringify(schema))
    const prompt = await promptOf('Is it?')
    const samples = await generate(newSampler({ grammar, temperature: 1 }), { prompt })
    expect(typeof JSON.parse(textOf(samples)).ok).toBe('boolean')
  })

  test('a required tool call is one that can be parsed', async () => {
    const format = await template({ toolsJson: JSON.stringify([weatherTool]), toolChoice: 'required' })
    // The bias makes the model begin a call at once, and only one.
    const [open = -1] = await model.tokenize('<tool_call>', false, true)
    const sampler = newSampler({
      ...format,
      grammarPrefix: format.generationPrompt,
      logitBias: [open, 100],
      frequencyPenalty: 100,
    })
    const samples = await generate(sampler, { prompt: await model.tokenize(format.prompt, true, true) })
    const { toolCalls } = format.parse(textOf(samples))
    expect(toolCalls[0]?.name).toBe('get_weather')
    expect(JSON.parse(toolCalls[0]?.arguments ?? '')).toEqual({ city: 'Paris' })
  })

  test('a lazy grammar waits for its trigger, but not for one that is merely thought', async () => {
    const word = new TextDecoder().decode(model.tokenBytes(500, false))
    const options: Partial<NativeSamplerOptions> = {
      logitBias: [500, 100],
      grammar: `root ::= ${JSON.stringify(word)} "Z"`,
      grammarLazy: true,
      grammarTriggers: [{ type: 'word', value: word }],
      thinkingStartTag: '<think>',
      thinkingEndTags: ['</think>'],
    }
    const say = async (generationPrompt: string) =>
      textOf(await generate(newSampler({ ...options, generationPrompt }), { limit: 4 }))
    expect(await say('')).toBe(`${word}Z`)
    expect(await say('<think>\n\n</think>')).toBe(`${word}Z`)
    expect(await say('<think>\n')).toBe(word.repeat(4))
  })

  test('a block of thinking ends with its budget, wherever tokens cut its tags', async () => {
    const word = new TextDecoder().decode(model.tokenBytes(500, false))
    const thinking = { thinkingStartTag: '<think>', thinkingEndTags: ['</think>'], preservedTokens: ['</think>'] }
    const options = { ...thinking, logitBias: [500, 100], generationPrompt: '<think>\n', thinkingBudgetTokens: 2 }
    const samples = await generate(newSampler(options), { limit: 5 })
    expect(textOf(samples)).toBe(`${word}${word}</think>${word}${word}`)
    const plain = textOf(await generate(newSampler(), { limit: 8 }))
    const tags = { thinkingStartTag: plain.slice(0, 3), thinkingEndTags: [' END'], thinkingBudgetTokens: 0 }
    const ended = textOf(await generate(newSampler(tags), { limit: 12 }))
    expect(ended.indexOf(' END')).toBeLessThan(plain.length)
    expect(ended.indexOf(' END')).toBeGreaterThanOrEqual(3)
  })

  test('an answer that must keep to a grammar does not end inside its thinking', async () => {
    const [end = -1] = (await generate(newSampler())).slice(-1).map((sample) => sample.token)
    const sampler = newSampler({
      logitBias: [end, 100],
      grammar: 'root ::= "yes"',
      generationPrompt: '<think>\n',
      thinkingStartTag: '<think>',
      thinkingEndTags: ['</think>'],
    })
    expect(textOf(await generate(sampler, { limit: 20 }))).toBe('</think>yes')
  })

  test('what looks like thinking inside of what a grammar makes is nothing of the kind', async () => {
    const text = '{"a": "<think>"}'
    const thinking = { thinkingStartTag: '<think>', thinkingEndTags: ['</think>'] }
    expect(textOf(await generate(saying(text, thinking)))).toBe(text)
    const [first] = await generate(newSampler(), { limit: 1 })
    const word = first?.text ?? ''
    const lazy = {
      grammar: `root ::= ${JSON.stringify(`${word}${text}`)}`,
      grammarLazy: true,
      grammarTriggers: [{ type: 'word' as const, value: word }],
    }
    expect(textOf(await generate(newSampler({ ...lazy, ...thinking })))).toBe(`${word}${text}`)
  })

  test('a schema becomes a grammar, or a reason', async () => {
    expect(await model.schemaGrammar('{"const": 12}')).toContain('root ::=')
    await expect(model.schemaGrammar('{"type": "banana"}')).rejects.toThrow(/banana/)
    await expect(model.schemaGrammar(`{"items":${'['.repeat(200)}`)).rejects.toThrow(/nested too deeply/)
  })

  test('a grammar that nothing fits ends its own answer and no other', async () => {
    const ban = [...Array(model.info.vocabularySize).keys()].flatMap((token) => [token, -100])
    const failing = newSampler({ logitBias: ban })
    const prompt = await promptOf('Hello')
    const parts = [
      { sequence: 1, tokens: prompt, samplers: [failing] },
      { sequence: 2, tokens: prompt, samplers: [newSampler()] },
    ]
    context.removeSequence(1, 0, -1)
    context.removeSequence(2, 0, -1)
    const [failed, fine] = await step(context, parts)
    expect(failed).toMatchObject({ token: -1, text: '', error: 'every token is banned' })
    expect(fine?.error).toBeUndefined()
    expect(fine?.token).toBeGreaterThanOrEqual(0)
  })

  test('a banned token is never chosen and a favoured one always', async () => {
    const [first] = await generate(newSampler(), { limit: 1 })
    const [other] = await generate(newSampler({ logitBias: [first?.token ?? 0, -100] }), { limit: 1 })
    expect(other?.token).not.toBe(first?.token ?? 0)
    const [favoured] = await generate(newSampler({ logitBias: [500, 100] }), { limit: 1 })
    expect(favoured?.token).toBe(500)
  })

  test('presence and frequency penalties concern the answer, the repeat penalty the prompt too', async () => {
    const [first] = await generate(newSampler(), { limit: 1 })
    const token = first?.token ?? 0
    const shown = Int32Array.from([token, token, token])
    const afterShowing = async (options: Partial<NativeSamplerOptions>) => {
      const sampler = newSampler(options)
      sampler.acceptPrompt(shown)
      const [sample] = await generate(sampler, { limit: 1 })
      return sample?.token
    }
    expect(await afterShowing({ presencePenalty: 100, frequencyPenalty: 100 })).toBe(token)
    expect(await afterShowing({ repeatPenalty: 100 })).not.toBe(token)

    const repeating = await generate(newSampler({ logitBias: [500, 50], frequencyPenalty: 60 }), { limit: 3 })
    expect(repeating.map((sample) => sample.token === 500)).toEqual([true, false, false])
  })

  test('log probabilities are those of the unmodified distribution', async () => {
    const [plain] = await generate(newSampler({ topLogprobs: 20 }), { limit: 1 })
    const alternatives = plain?.alternatives ?? []
    expect(alternatives).toHaveLength(20)
    expect(alternatives[0]).toEqual({ token: plain?.token ?? -1, logprob: plain?.logprob ?? 1 })
    expect(alternatives.every((other, i) => i === 0 || other.logprob <= (alternatives[i - 1]?.logprob ?? -1))).toBe(
      true,
    )
    const total = alternatives.reduce((sum, other) => sum + Math.exp(other.logprob), 0)
    expect(total).toBeGreaterThan(0.9)
    expect(total).toBeLessThan(1.0001)

    const [biased] = await generate(newSampler({ topLogprobs: 20, logitBias: [500, 100] }), { limit: 1 })
    expect(biased?.token).toBe(500)
    expect(biased?.alternatives).toEqual(alternatives)
    expect(biased?.logprob).toBeLessThan(alternatives[0]?.logprob ?? 0)
  })
})

describe('text', () => {
  test('comes in whole characters', async () => {
    const samples = await generate(saying('é€😀!'))
    expect(textOf(samples)).toBe('é€😀!')
    expect(samples.length).toBeGreaterThan(5)
    expect(samples.some((sample) => sample.text.includes('\uFFFD'))).toBe(false)
  })

  test('shows a broken character once generation ends inside it', async () => {
    const sampler = saying('😀')
    const samples = await generate(sampler, { limit: 2 })
    expect(textOf(samples)).toBe('')
    expect(sampler.flush()).toBe('\uFFFD')
    expect(sampler.flush()).toBe('')
  })

  test('ends before a stop string that crosses token borders', async () => {
    const samples = await generate(saying('Hello world, this is the END of it', { stops: ['never', 'ld, th'] }))
    expect(textOf(samples)).toBe('Hello wor')
    expect(samples.at(-1)?.end).toBe('stop-string')
  })

  test('holds back what may become a stop string and gives it out when it does not', async () => {
    const samples = await generate(saying('Hello world wor', { stops: ['worst'] }))
    expect(textOf(samples)).toBe('Hello world wor')
    let shown = ''
    for (const sample of samples) {
      shown += sample.text
      if (sample.end === undefined) expect(shown).not.toMatch(/w(o(rs?)?)?$/)
    }
  })

  test('gives out what is held back when the caller ends the answer', async () => {
    const steps = (await generate(saying('one STO'))).length - 1
    const sampler = saying('one STO', { stops: ['STOP'] })
    const samples = await generate(sampler, { limit: steps })
    expect(textOf(samples)).toBe('one ')
    expect(sampler.flush()).toBe('STO')
  })

  test('shows special tokens only when they are preserved', async () => {
    const [token = -1] = await model.tokenize('<|im_start|>', false, true)
    const [hidden] = await generate(newSampler({ logitBias: [token, 100] }), { limit: 1 })
    expect(hidden).toMatchObject({ token, text: '' })
    const preserved = newSampler({ logitBias: [token, 100], preservedTokens: ['<|im_start|>'] })
    const [shown] = await generate(preserved, { limit: 1 })
    expect(shown).toMatchObject({ token, text: '<|im_start|>' })
  })
})

describe('cache', () => {
  test('a batch that does not fit changes nothing', async () => {
    const where = newContext({ contextTokens: 256, batchTokens: 512, microBatchTokens: 32 })
    const expected = textOf(await generate(newSampler(), { where }))

    where.removeSequence(0, 0, -1)
    const sampler = newSampler()
    let last = only(
      await step(where, [{ sequence: 0, tokens: await promptOf('Hello, who are you?'), samplers: [sampler] }]),
    )
    let text = last.text
    while (last.end === undefined) {
      const positions = [0, 1].map((sequence) => [where.minPosition(sequence), where.maxPosition(sequence)])
      for (const length of [250, 400]) {
        const big = new Int32Array(length).fill(100)
        const full = await where.step({
          tokens: big,
          positions: big.map((_, i) => i),
          sequences: big.map(() => 1),
          outputs: [{ entry: length - 1, sampler }],
        })
        expect(full).toEqual({ kind: 'cache-full' })
      }
      expect([0, 1].map((sequence) => [where.minPosition(sequence), where.maxPosition(sequence)])).toEqual(positions)
      last = only(await step(where, [{ sequence: 0, tokens: [last.token], samplers: [sampler] }]))
      text += last.text
    }
    expect(text).toBe(expected)
    await where.close()
  })

  test('choices share their prompt', async () => {
    const where = newContext({ contextTokens: 256 })
    const prompt = await promptOf('Hello, who are you?')
    const expected = textOf(await generate(newSampler(), { where, prompt }))
    where.removeSequence(0, 0, -1)

    const samplers = [newSampler(), newSampler()]
    const first = await step(where, [{ sequence: 0, tokens: prompt, samplers }])
    where.copySequence(0, 1, 0, -1)
    expect(where.maxPosition(1)).toBe(prompt.length - 1)
    let slots = samplers.map((sampler, sequence) => ({
      sequence,
      tokens: [first[sequence]?.token ?? -1],
      samplers: [sampler],
    }))
    const texts = first.map((sample) => sample.text)
    while (slots.length > 0) {
      const samples = await step(where, slots)
      samples.forEach((sample, i) => {
        texts[i] += sample.text
      })
      if (samples.some((sample) => sample.end !== undefined)) break
      slots = slots.map((slot, i) => ({ ...slot, tokens: [samples[i]?.token ?? -1] }))
    }
    expect(texts).toEqual([expected, expected])
    await where.close()
  })

  test('a copy in a cache of its own is there at once, whatever becomes of the source before the next step', async () => {
    const where = newContext({ kvUnified: false })
    const prompt = await promptOf('Hello, who are you?')
    const expected = textOf(await generate(newSampler(), { prompt }))
    const last = prompt.length - 1
    const firstOf = async (sequence: number) => {
      where.removeSequence(sequence, last, -1)
      return only(await step(where, [{ sequence, tokens: prompt.slice(last), samplers: [newSampler()] }])).text
    }
    const other = (await promptOf('The cat sat on the mat, and then?')).slice(0, last)
    await step(where, [{ sequence: 3, tokens: other, samplers: [] }])
    const otherState = where.saveSequence(3)
    await step(where, [{ sequence: 0, tokens: prompt, samplers: [] }])

    where.copySequence(0, 1, 0, -1)
    const copied = where.saveSequence(1)
    where.removeSequence(0, 0, -1)
    expect(where.restoreSequence(0, otherState)).toBe(true)
    expect(where.restoreSequence(2, copied)).toBe(true)
    const texts = [await firstOf(1), await firstOf(2)]
    expect(texts[0]).not.toBe('')
    expect(texts[1]).toBe(texts[0] ?? '')
    expect(expected.startsWith(texts[0] ?? '-')).toBe(true)
    await where.close()
  })

  test('a beginning can be copied into a cache of its own', async () => {
    const where = newContext({ kvUnified: false })
    const prompt = await promptOf('Hello, who are you?')
    const expected = textOf(await generate(newSampler(), { prompt }))
    const shared = prompt.length - 3
    const longer = [...prompt.slice(0, shared), ...(await promptOf('Tell me of a cat.'))]
    await step(where, [{ sequence: 0, tokens: longer, samplers: [] }])
    where.copySequence(0, 1, 0, shared)
    expect([where.minPosition(1), where.maxPosition(1)]).toEqual([0, shared - 1])
    const sample = only(await step(where, [{ sequence: 1, tokens: prompt.slice(shared), samplers: [newSampler()] }]))
    expect(sample.text).not.toBe('')
    expect(expected.startsWith(sample.text)).toBe(true)
    expect(where.maxPosition(0)).toBe(longer.length - 1)
    await where.close()
  })

  test('a sequence can be cut and goes on from there', async () => {
    const prompt = await promptOf('Hello, who are you?')
    const expected = textOf(await generate(newSampler(), { prompt }))
    expect(context.removeSequence(0, prompt.length - 1, -1)).toBe(true)
    expect(context.maxPosition(0)).toBe(prompt.length - 2)
    const sampler = newSampler()
    const last = prompt.at(-1) ?? -1
    let sample = only(await step(context, [{ sequence: 0, tokens: [last], samplers: [sampler] }]))
    let text = sample.text
    while (sample.end === undefined) {
      sample = only(await step(context, [{ sequence: 0, tokens: [sample.token], samplers: [sampler] }]))
      text += sample.text
    }
    expect(text).toBe(expected)
    expect(context.removeSequence(0, 0, -1)).toBe(true)
    expect([context.minPosition(0), context.maxPosition(0)]).toEqual([-1, -1])
  })

  test('a saved sequence goes on in another context', async () => {
    const prompt = await promptOf('Hello, who are you?')
    const expected = textOf(await generate(newSampler(), { prompt }))
    context.removeSequence(0, prompt.length - 1, -1)
    const state = context.saveSequence(0)

    const where = newContext()
    expect(where.restoreSequence(2, state)).toBe(true)
    expect(where.maxPosition(2)).toBe(prompt.length - 2)
    const last = prompt.at(-1) ?? -1
    const sample = only(await step(where, [{ sequence: 2, tokens: [last], samplers: [newSampler()] }]))
    expect(sample.text).not.toBe('')
    expect(expected.startsWith(sample.text)).toBe(true)
    await where.close()
  })

  test('a state that does not fit or is damaged is not restored', async () => {
    const big = new Int32Array(400).fill(100)
    context.removeSequence(0, 0, -1)
    await step(context, [{ sequence: 0, tokens: big, samplers: [] }])
    const state = context.saveSequence(0)
    const where = newContext({ contextTokens: 256 })
    expect(where.restoreSequence(0, state)).toBe(false)
    expect(where.restoreSequence(0, state.slice(0, 100))).toBe(false)
    expect(where.restoreSequence(0, new Uint8Array(0))).toBe(false)
    expect(where.maxPosition(0)).toBe(-1)
    await where.close()
  })
})

describe('bad arguments', () => {
  const entry = { tokens: Int32Array.of(100), positions: Int32Array.of(0), sequences: Int32Array.of(0) }
  const batches: Readonly<Record<string, object>> = {
    'nothing at all': { tokens: new Int32Array(0), positions: new Int32Array(0), sequences: new Int32Array(0) },
    'arrays of different length': { positions: new Int32Array(2) },
    'a token beyond the vocabulary': { tokens: Int32Array.of(1 << 20) },
    'a negative token': { tokens: Int32Array.of(-1) },
    'a sequence that does not exist': { sequences: Int32Array.of(4) },
    'a negative sequence': { sequences: Int32Array.of(-1) },
    'a position that leaves a gap': { positions: Int32Array.of(5) },
    'a negative position': { positions: Int32Array.of(-1) },
    'more tokens than a batch holds': {
      tokens: new Int32Array(513),
      positions: new Int32Array(513).map((_, i) => i),
      sequences: new Int32Array(513),
    },
    'plain arrays': { tokens: [100] },
    'an output after no entry': { outputs: [{ entry: 1, sampler: {} }] },
    'something that is no sampler': { outputs: [{ entry: 0, sampler: {} }] },
    'no outputs': { outputs: undefined },
  }
  for (const [name, batch] of Object.entries(batches)) {
    test(`a batch with ${name} is rejected`, async () => {
      context.removeSequence(0, 0, -1)
      await expect(context.step({ outputs: [], ...entry, ...batch })).rejects.toThrow()
      expect(context.maxPosition(0)).toBe(-1)
    })
  }

  test('a sampler serves one output of a step', async () => {
    context.removeSequence(0, 0, -1)
    const sampler = newSampler()
    const outputs = [0, 0].map((at) => ({ entry: at, sampler }))
    await expect(context.step({ ...entry, outputs })).rejects.toThrow(/one output/)
    await expect(context.step({ ...entry, outputs: outputs.slice(1) })).resolves.toMatchObject({ kind: 'ok' })
  })

  test('one step runs at a time, and nothing else touches the context or its samplers meanwhile', async () => {
    context.removeSequence(0, 0, -1)
    const sampler = newSampler()
    const running = context.step({ ...entry, outputs: [{ entry: 0, sampler }] })
    await expect(context.step({ ...entry, outputs: [] })).rejects.toThrow(/a step is running/)
    expect(() => context.removeSequence(0, 0, -1)).toThrow(/a step is running/)
    expect(() => sampler.flush()).toThrow(/a step is using this sampler/)
    await running
    expect(context.removeSequence(0, 0, -1)).toBe(true)
  })

  test('options and arguments out of range throw', () => {
    const samplers: Partial<NativeSamplerOptions>[] = [
      { temperature: Number.NaN },
      { temperature: -1 },
      { topP: 2 },
      { repeatPenalty: 0 },
      { topLogprobs: 21 },
      { logitBias: [1] },
      { logitBias: [1 << 20, 1] },
      { stops: [1 as never] },
      { grammar: 'start ::= "a"' },
      { grammar: '%llguidance {}' },
      { grammar: 'root ::= "a"', grammarLazy: true },
      { grammar: 'root ::= "a"', grammarPrefix: 'b' },
    ]
    for (const options of samplers) expect(() => newSampler(options)).toThrow()
    const contexts: object[] = [{ contextTokens: 0 }, { sequences: 100_000 }, { threads: 0 }, { kvType: 'f8' }]
    for (const options of contexts) expect(() => newContext(options)).toThrow()
    expect(() => model.tokenBytes(-1, false)).toThrow(RangeError)
    expect(() => model.tokenBytes(1.5, false)).toThrow(RangeError)
    expect(() => model.tokenize(1 as never, true, true)).toThrow(TypeError)
    expect(() => context.removeSequence(4, 0, -1)).toThrow(RangeError)
    expect(() => context.copySequence(0, 0, 0, -1)).toThrow(RangeError)
    expect(() => context.minPosition(-1)).toThrow(RangeError)
    expect(() => context.restoreSequence(0, 'state' as never)).toThrow(TypeError)
    expect(() => newSampler().acceptPrompt(Int32Array.of(-1))).toThrow(RangeError)
  })
})

describe('threads', () => {
  const batch = () => ({
    tokens: new Int32Array(32).fill(100),
    positions: new Int32Array(32).map((_, i) => i),
    sequences: new Int32Array(32),
    outputs: [],
  })

  const threadIds = () => new Set(readdirSync('/proc/self/task'))

  /** Counts the threads seen helping one step: they start and end with it, unlike the runtime's. */
  async function helpersSeen(where: NativeContext, threads: number): Promise<number> {
    where.removeSequence(0, 0, -1)
    const before = threadIds()
    const during = new Set<string>()
    let isRunning = true
    const step = where.step(batch(), threads).finally(() => {
      isRunning = false
    })
    while (isRunning) {
      for (const id of threadIds()) during.add(id)
      await new Promise(setImmediate)
    }
    await step
    return during.difference(before).difference(threadIds()).size
  }

  /** Returns the most frequent of the counts. The runtime's own threads disturb a few. */
  function mostFrequent(counts: readonly number[]): number | undefined {
    const byCount = Object.groupBy(counts, String)
    return Object.values(byCount).sort((a = [], b = []) => b.length - a.length)[0]?.[0]
  }

  test('a step is computed with as many as it is given', async () => {
    const where = newContext()
    const ofOne: number[] = []
    const ofTwo: number[] = []
    // On a busy machine a helper can start and end between two looks: steps of two threads without one are not counted.
    for (let round = 0; ofTwo.length < 15 && round < 1000; round++) {
      ofOne.push(await helpersSeen(where, 1))
      const seen = await helpersSeen(where, 2)
      if (seen > 0) ofTwo.push(seen)
    }
    expect({ ofOne: mostFrequent(ofOne), ofTwo: mostFrequent(ofTwo) }).toEqual({ ofOne: 0, ofTwo: 1 })
    await where.close()
  })

  test('none, or thousands, are refused', async () => {
    for (const threads of [0, 513, 1.5]) {
      const refused = context.step(batch(), threads).catch((error: unknown) => error)
      expect(await refused).toBeInstanceOf(RangeError)
    }
  })
})

describe('closing', () => {
  test('waits for the running step, and nothing works afterwards', async () => {
    const where = newContext()
    const running = where.step({
      tokens: new Int32Array(300).fill(100),
      positions: new Int32Array(300).map((_, i) => i),
      sequences: new Int32Array(300),
      outputs: [],
    })
    const order: string[] = []
    const closed = where.close().then(() => order.push('closed'))
    await running.then(() => order.push('stepped'))
    await closed
    expect(order.sort()).toEqual(['closed', 'stepped'])
    expect(() => where.maxPosition(0)).toThrow(/closed/)
    expect(() => where.saveSequence(0)).toThrow(/closed/)
    await expect(where.step({} as never)).rejects.toThrow(/closed/)
    await where.close()
  })

  test('a process that closes nothing ends cleanly', async () => {
    const script = `
      const { openTestAddon, testContextOptions, greedySampler } = await import(${JSON.stringify(join(root, 'src/testing/native-options.ts'))})
      const { loadOptions, onCpu } = await import(${JSON.stringify(join(import.meta.dir, 'placement.ts'))})
      const addon = await openTestAddon()
      const kept = []
      for (const keep of [false, true, false, true]) {
        const model = await addon.loadModel(loadOptions(${JSON.stringify(modelPath)}, onCpu))
        const context = new addon.Context(model, testContextOptions)
        const sampler = new addon.Sampler(model, greedySampler)
        const one = Int32Array.of(0)
        await context.step({ tokens: Int32Array.of(100), positions: one, sequences: one, outputs: [{ entry: 0, sampler }] })
        if (keep) kept.push(context, model, sampler)
      }
      Bun.gc(true)
      console.log('done')`
    const child = Bun.spawn([process.execPath, '-e', script], { cwd: root, stdout: 'pipe', stderr: 'pipe' })
    const [output, errors, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    expect({ output, errors, code }).toEqual({ output: 'done\n', errors: '', code: 0 })
  })
})
