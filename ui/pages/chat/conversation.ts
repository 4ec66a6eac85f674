/** What is said in a conversation. Nothing of it is kept by the server. */
import type { Step } from './step.ts'

export interface Picture {
  /** With its content: data:image/png;base64,… */
  readonly url: string
  readonly name: string
  readonly width: number
  readonly height: number
  readonly bytes: number
}

export interface Question {
  readonly text: string
  readonly pictures: readonly Picture[]
  /** Pictures that were there before the page was loaded anew, which keeps text alone. */
  readonly lostPictures: number
}

/** Of one model: a step, and another one after each round of tool results. */
export interface Answer {
  readonly model: string
  readonly steps: readonly Step[]
}

export interface Exchange {
  /** Drafts in the memory of the tab go by it: no other exchange has it, also after a reload. */
  readonly id: number
  readonly question: Question
  /** By column. The second one has none where no models were compared. */
  readonly answers: readonly (Answer | undefined)[]
}

/** Returns an id that no exchange has had. */
export function newId(): number {
  return Math.ceil(Math.random() * Number.MAX_SAFE_INTEGER)
}

/** A tool that a model wants to have run. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON text, as the model wrote it. */
  readonly arguments: string
  /** What the person said that came of it. */
  readonly result?: string
}
