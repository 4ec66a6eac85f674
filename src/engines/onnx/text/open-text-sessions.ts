import type { TextModelSettings } from '../../../core/text-model-settings.ts'
import { type OpenedSessions, type OpenOptions, openSessions } from '../session/open-sessions.ts'
import { hasFusedAttention, requireRightAttention } from './check-attention.ts'
import type { EditWish } from './edit-graph.ts'
import type { Pooled } from './pooling.ts'
import type { AnswerIds } from './scores.ts'
import type { Reading } from './text-thread.ts'
import type { Row } from './waiting-rows.ts'

/**
 * Largest graph that is changed on a CPU, in bytes: for that its file is read into memory once more, and larger models compute for
 * so long that pooling is nothing.
 */
const editedOnCpuBytes = 256 * 1024 * 1024

/** Lengths of the texts that fused attention is tried with, by device. A GPU takes other kernels for longer ones. */
const triedTokens = {
  cpu: [[1, 4]],
  cuda: [
    [1, 4],
    [40, 300],
  ],
} as const

export interface TextSessionOptions extends Omit<OpenOptions, 'program' | 'wishFor' | 'beside'> {
  readonly settings: TextModelSettings
  /** Returns the tokens of a reranker's answers; reads the tokenizer at the first call. */
  readonly readAnswerIds: () => AnswerIds | undefined
  /** The graph stays as its file has it. */
  readonly isAsFiled: boolean
  /** Returns rows of those lengths. */
  readonly rowsOf: (lengths: readonly number[]) => readonly Row[]
}

/**
 * Opens the sessions of a text model, with the graph changed to compute faster where that gives the same. Rejects with what ONNX
 * Runtime says of the model.
 */
export async function openTextSessions(options: TextSessionOptions): Promise<OpenedSessions<Reading, Pooled>> {
  const { settings, readAnswerIds, isAsFiled, rowsOf, ...others } = options
  const open = (fusesAttention: boolean) =>
    openSessions<Reading, Pooled, EditWish>({
      ...others,
      program: 'engines/onnx/text/text-thread.ts',
      wishFor: (provider, graphBytes) =>
        isAsFiled || (provider === 'cpu' && graphBytes > editedOnCpuBytes)
          ? undefined
          : { ...settings, answerIds: readAnswerIds(), fusesAttention },
      beside: readAnswerIds,
    })
  const opened = await open(settings.padding === 'right')
  const [session] = opened.sessions
  if (!hasFusedAttention(session)) return opened
  try {
    for (const lengths of triedTokens[opened.device]) await requireRightAttention(session, rowsOf(lengths), settings)
    return opened
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    others.log(
      `its attention is computed by the graph's own nodes, since ONNX Runtime's operator does not fit: ${reason}`,
    )
    for (const { close } of opened.sessions) close()
    return await open(false)
  }
}
