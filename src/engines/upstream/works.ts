/** Preparation of each kind of work for upstream servers. */
import type { WorkKind } from '../../core/work.ts'
import { prepareChat } from './chat/chat-work.ts'
import { prepareCount } from './count/count.ts'
import { prepareSpeak } from './speech/speak.ts'
import { prepareTranscribe } from './speech/transcribe.ts'
import { prepareEmbed } from './texts/embed.ts'
import { prepareRerank } from './texts/rerank.ts'
import type { PrepareWork } from './work/upstream-work.ts'

/** Absent kinds are not served. */
export const works: { readonly [Kind in WorkKind]?: PrepareWork<Kind> } = {
  chat: prepareChat,
  count: prepareCount,
  embed: prepareEmbed,
  rerank: prepareRerank,
  transcribe: prepareTranscribe,
  speak: prepareSpeak,
}
