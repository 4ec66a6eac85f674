import type { TextModelSettings } from '../../../core/text-model-settings.ts'
import { type OpenedSessions, type OpenOptions, openSessions } from '../session/open-sessions.ts'
import type { SessionThread } from '../session/session-thread.ts'
import { added } from './added-names.ts'
import type { EditWish } from './edit-graph.ts'
import type { Pooled } from './pooling.ts'
import type { AnswerIds } from './scores.ts'
import type { Reading } from './text-thread.ts'

/**
 * Largest graph edited on a CPU, in bytes. Editing reads the file into memory once more; for larger models, pooling
 * takes a negligible share of the time.
 */
const editedOnCpuBytes = 256 * 1024 * 1024

interface TextSessionOptions extends Omit<OpenOptions, 'program' | 'wishFor' | 'beside'> {
  readonly settings: TextModelSettings
  /** Returns the answer tokens of a reranker; reads the tokenizer at the first call. */
  readonly readAnswerIds: () => AnswerIds | undefined
  /** True to use the graph unchanged. */
  readonly isAsFiled: boolean
}

/**
 * Opens the sessions of a text model, with an edited graph that computes faster if its results are the same. Rejects
 * with ONNX Runtime's error.
 */
export async function openTextSessions(options: TextSessionOptions): Promise<OpenedSessions<Reading, Pooled>> {
  const { settings, readAnswerIds, isAsFiled, ...others } = options
  const opened = await openSessions<Reading, Pooled, EditWish>({
    ...others,
    program: 'engines/onnx/text/text-thread.ts',
    wishFor: (provider, graphBytes) =>
      isAsFiled || (provider === 'cpu' && graphBytes > editedOnCpuBytes)
        ? undefined
        : { ...settings, answerIds: readAnswerIds(), fusesAttention: settings.padding === 'right' },
    beside: readAnswerIds,
  })
  const [{ remark }] = opened.sessions
  if (remark !== undefined) others.log(remark)
  return opened
}

export function hasFusedAttention({ inputs }: Pick<SessionThread<Reading, Pooled>, 'inputs'>): boolean {
  return inputs.some(({ name }) => name === added.spans)
}
