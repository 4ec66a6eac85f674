/** Judgement of texts and pictures by categories of harm. */
import type { ChatMessage, ChatRequest } from './chat.ts'

/** Categories of OpenAI's moderations, which clients know by these names. */
export const moderationCategories = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const

export type ModerationCategory = (typeof moderationCategories)[number]

export interface ModerateRequest extends Pick<ChatRequest, 'images' | 'packed'> {
  /** Contents to judge, each alone. Never empty. */
  readonly messages: readonly ChatMessage[]
}

/** Likelihood of each category, from 0 to 1. */
export type ModerationScores = Readonly<Record<ModerationCategory, number>>

/** Judgement of one content. Judgements come in the order of the contents. */
export interface Verdict {
  readonly type: 'verdict'
  readonly scores: ModerationScores
  /** Categories that apply. Undefined if the score decides. */
  readonly applying?: readonly ModerationCategory[]
}
