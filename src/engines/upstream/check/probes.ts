/** Probes of each server, by the model's type. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatRequest } from '../../../core/chat.ts'
import { textContent } from '../../../core/content.ts'
import type { ModelManifest, ModelType } from '../../../core/model.ts'
import { audioSampleRateHz, type TranscribeRequest } from '../../../core/speech.ts'
import { chatForms } from '../chat/chat-form.ts'
import { prepareDraw } from '../images/draw.ts'
import { prepareModerate } from '../moderations/moderate.ts'
import { prepareSpeak } from '../speech/speak.ts'
import { transcriptAbilities } from '../speech/speech-abilities.ts'
import { prepareTranscribe } from '../speech/transcribe.ts'
import { prepareEmbed } from '../texts/embed.ts'
import { prepareRerank } from '../texts/rerank.ts'
import { askCancel } from './ask-cancel.ts'
import { askChat, askWork, type ChatAnswer, type CheckedServer } from './checked-server.ts'
import {
  judgeChat,
  judgeLogprobs,
  judgeNamedTool,
  judgeSchema,
  judgeThinking,
  judgeThinkingOff,
  judgeTools,
  judgeUsage,
} from './judge-chat.ts'
import { briefly, maxTokensOf, questions, redPicture } from './questions.ts'
import { type Verdict, yes } from './verdict.ts'

/** One line of the result. */
export interface ProbeRow {
  readonly name: string
  /** Returns whether the manifest promises it. */
  readonly isPromised?: ((manifest: ModelManifest) => boolean) | undefined
}

/** One request to each server, and how to judge it. */
export interface Probe {
  readonly types: readonly ModelType[]
  readonly rows: readonly ProbeRow[]
  /** True for a probe whose failure skips all others. */
  readonly isFirst?: boolean | undefined
  /** Returns why the probe does not apply, to complete "not tried: …". */
  readonly skip?: ((manifest: ModelManifest) => string | undefined) | undefined
  /** Verdict if the server refuses. */
  readonly refused?: Omit<Verdict, 'word' | 'note'> | undefined
  /** Returns one verdict per row. Throws like `askChat`. */
  readonly ask: (server: CheckedServer) => Promise<readonly Verdict[]>
}

const chats: readonly ModelType[] = ['chat', 'vision']
const always = () => true
const says = (name: string, ...values: readonly (boolean | string)[]) => {
  return ({ capabilities }: ModelManifest) => values.includes(capabilities[name] ?? '')
}
const unlessNone = (name: string, none: boolean | string) => (manifest: ModelManifest) =>
  manifest.capabilities[name] === none ? 'the manifest says that the model does not' : undefined

function tellsWords({ upstream }: ModelManifest): boolean {
  return upstream !== undefined && transcriptAbilities[upstream.flavor].words
}

const knowsEfforts = says('reasoning', 'effort')

function effortAlone(manifest: ModelManifest): string | undefined {
  const { upstream } = manifest
  if (upstream === undefined || chatForms[upstream.flavor].thinking.kind !== 'effort' || knowsEfforts(manifest))
    return undefined
  return `servers of flavor ${upstream.flavor} are told an effort or nothing, and the manifest names none`
}

/** Returns a probe that sends a chat and judges its answer. */
function asks(request: ChatRequest, judge: (answer: ChatAnswer) => Verdict, isBrief = true): Probe['ask'] {
  return async (server) => {
    const { manifest } = server
    const asked = isBrief ? briefly(request, manifest) : request
    return [judge(await askChat(server, { request: asked, maxTokens: maxTokensOf(manifest) }))]
  }
}

export const probes: readonly Probe[] = [
  {
    types: chats,
    rows: [{ name: 'chat', isPromised: always }, { name: 'usage in the stream' }],
    isFirst: true,
    ask: async (server) => {
      const request = briefly(questions.words, server.manifest)
      const answer = await askChat(server, { request, maxTokens: maxTokensOf(server.manifest) })
      return [judgeChat(answer), judgeUsage(answer)]
    },
  },
  {
    types: chats,
    rows: [{ name: 'tools', isPromised: says('tools', true) }],
    skip: unlessNone('tools', false),
    refused: { advice: 'tools', lack: 'tools' },
    ask: asks(questions.tools, judgeTools),
  },
  {
    types: chats,
    rows: [{ name: 'a named tool' }],
    skip: unlessNone('tools', false),
    refused: { lack: 'named-tools' },
    ask: asks(questions.namedTool, judgeNamedTool),
  },
  {
    types: chats,
    rows: [{ name: 'JSON schema' }],
    refused: { lack: 'schemas' },
    ask: asks(questions.schema, judgeSchema),
  },
  {
    types: chats,
    rows: [{ name: 'thinking', isPromised: says('reasoning', 'toggle', 'effort', 'always') }],
    skip: (manifest) => unlessNone('reasoning', 'none')(manifest) ?? effortAlone(manifest),
    refused: { advice: 'thinking', lack: 'thinking' },
    ask: (server) =>
      asks(knowsEfforts(server.manifest) ? questions.effort : questions.thinking, judgeThinking, false)(server),
  },
  {
    types: chats,
    rows: [{ name: 'thinking off', isPromised: says('reasoning', 'toggle') }],
    skip: ({ capabilities: { reasoning = 'none' } }) =>
      reasoning === 'toggle' ? undefined : 'the manifest does not say that it can be switched',
    refused: { lack: 'thinking-switch' },
    ask: asks(questions.noThinking, judgeThinkingOff),
  },
  {
    types: chats,
    rows: [{ name: 'pictures', isPromised: ({ type }) => type === 'vision' }],
    skip: ({ type }) => (type === 'vision' ? undefined : 'the model is of type chat'),
    refused: { advice: 'pictures', lack: 'pictures' },
    ask: async (server) => {
      const request = briefly(questions.picture, server.manifest)
      const picture = redPicture()
      return [judgeChat(await askChat(server, { request, picture, maxTokens: maxTokensOf(server.manifest) }))]
    },
  },
  {
    types: chats,
    rows: [{ name: 'log probabilities' }],
    refused: { advice: 'logprobs', lack: 'logprobs' },
    ask: asks(questions.logprobs, judgeLogprobs),
  },
  {
    types: chats,
    rows: [{ name: 'raw prompts' }],
    refused: { lack: 'prompts' },
    ask: asks(questions.prompt, judgeChat, false),
  },
  { types: chats, rows: [{ name: 'cancel' }], ask: async (server) => [await askCancel(server)] },
  {
    types: ['embedding'],
    rows: [{ name: 'embeddings', isPromised: always }, { name: 'usage' }],
    isFirst: true,
    refused: { advice: 'texts' },
    ask: async (server) => {
      const { outputs, isCounted } = await askWork(server, prepareEmbed, { inputs: ['one', 'two'] })
      const note = `${outputs[0]?.dimensions ?? 0} dimensions`
      return [{ word: 'yes', note }, countVerdict(isCounted)]
    },
  },
  {
    types: ['rerank'],
    rows: [{ name: 'scores', isPromised: always }, { name: 'usage' }],
    isFirst: true,
    refused: { advice: 'scores' },
    ask: async (server) => {
      const request = { query: 'What is the capital of France?', documents: ['Paris.', 'A cat.'] }
      const { isCounted } = await askWork(server, prepareRerank, request)
      return [yes, countVerdict(isCounted)]
    },
  },
  {
    types: ['stt'],
    rows: [{ name: 'transcription', isPromised: always }],
    isFirst: true,
    ask: (server) => askTranscript(server, { wantsWords: false }),
  },
  {
    types: ['stt'],
    rows: [{ name: 'times of words', isPromised: says('word_timestamps', true) }],
    skip: (manifest) =>
      manifest.capabilities.word_timestamps === false || !tellsWords(manifest)
        ? 'the manifest or the flavor has none'
        : undefined,
    refused: { lack: 'words' },
    ask: (server) => askTranscript(server, { wantsWords: true }),
  },
  {
    types: ['stt'],
    rows: [{ name: 'speakers', isPromised: says('diarization', true) }],
    skip: (manifest) => (manifest.capabilities.diarization === true ? undefined : 'the manifest does not name them'),
    refused: { lack: 'speakers' },
    ask: (server) => askTranscript(server, { wantsWords: false, speakers: {} }),
  },
  {
    types: ['tts'],
    rows: [{ name: 'speech', isPromised: always }],
    isFirst: true,
    ask: async (server) => {
      const voice = server.manifest.synthesizer?.voices[0]?.name ?? 'alloy'
      const { outputs } = await askWork(server, prepareSpeak, { input: 'Hello.', voice, speed: 1, format: 'pcm' })
      const bytes = outputs.reduce((sum, output) => sum + output.bytes.length, 0)
      return [{ word: 'yes', note: `${bytes} bytes of samples, with the voice ${voice}` }]
    },
  },
  {
    types: ['moderation'],
    rows: [{ name: 'verdicts', isPromised: always }],
    isFirst: true,
    ask: async (server) => {
      const messages = [{ role: 'user', content: textContent('Hello.') }] as const
      const { outputs } = await askWork(server, prepareModerate, { messages })
      return [outputs[0]?.applying?.length === 0 ? yes : { word: 'yes', note: 'it finds harm in "Hello."' }]
    },
  },
  {
    types: ['image'],
    rows: [{ name: 'pictures', isPromised: always }],
    isFirst: true,
    ask: async (server) => {
      await askWork(server, prepareDraw, { prompt: 'A red circle.', count: 1, options: {} })
      return [yes]
    },
  },
]

function countVerdict(isCounted: boolean): Verdict {
  return isCounted ? yes : { word: 'no', note: 'it does not count tokens: what requests cost is estimated' }
}

/** Sends a second of silence. Judges only whether the server accepts it. */
async function askTranscript(
  server: CheckedServer,
  wishes: Pick<TranscribeRequest, 'wantsWords' | 'speakers'>,
): Promise<readonly Verdict[]> {
  const folder = await mkdtemp(join(tmpdir(), 'inferd-check-'))
  try {
    const path = join(folder, 'silence')
    await writeFile(path, Buffer.alloc(audioSampleRateHz * Int16Array.BYTES_PER_ELEMENT))
    await askWork(server, prepareTranscribe, { ...wishes, audio: { path, sampleCount: audioSampleRateHz } })
    return [yes]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
