/** Types of a conversation. The server keeps none of it. */
import type { Branch } from './kept/tree.ts'
import type { Step } from './step.ts'

/** Picture of a message, or a document or recording, which is kept like one. */
export interface Picture {
  readonly id: number
  /** Data URL with the content: data:image/png;base64,… */
  readonly url: string
  readonly name: string
  readonly width: number
  readonly height: number
  readonly bytes: number
  /** Absent for pictures, empty for recordings. */
  readonly document?: DocumentFacts
}

export interface DocumentFacts {
  /** Tokens for the model that was chosen. Undefined if they were not counted. */
  readonly tokens?: number
  /** Pages, sheets or slides. 0 for a text. */
  readonly pages?: number
}

export interface TextFile {
  readonly id: number
  readonly name: string
  readonly text: string
  readonly bytes: number
}

export interface Question {
  readonly text: string
  readonly pictures: readonly Picture[]
  readonly files: readonly TextFile[]
  /** Pictures that the browser could not keep. */
  readonly lostPictures: number
}

export const noQuestion: Question = { text: '', pictures: [], files: [], lostPictures: 0 }

/** Answer of one model: one step, and one more after each round of tool results. */
export interface Answer {
  readonly model: string
  readonly steps: readonly Step[]
}

/** A question and its answers: one place in the tree of the conversation. */
export interface Exchange extends Branch {
  readonly question: Question
  /** Answers by column. The second column is empty unless two models are compared. */
  readonly answers: readonly (Answer | undefined)[]
}

/** Returns a random id, unique among conversations, exchanges and pictures. */
export function newId(): number {
  return Math.ceil(Math.random() * Number.MAX_SAFE_INTEGER)
}

/** Call that a model requests. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON text as the model wrote it. */
  readonly arguments: string
  /** Result that the person entered. Undefined until then. */
  readonly result?: string
}
