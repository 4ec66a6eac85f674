import type { ResolvedModel } from '../catalog/catalog.ts'
import type { SoundPart, TextPart } from '../core/content.ts'
import { hears } from '../core/model.ts'
import type { PaidRequestRecord } from '../core/request-record.ts'
import { kindsOfWork, type Work } from '../core/work.ts'
import { JoinedTill } from '../inference/joined-till.ts'
import { findModelBySpelling, requireType } from '../inference/resolve-model.ts'
import { type Payment, runWork } from '../inference/run-work.ts'
import { neverThrowing } from '../telemetry/request-log.ts'
import type { Exchange } from './exchange.ts'
import type { HttpServices } from './services.ts'

const endpoint = 'audio/transcriptions'

/** Text for a recording in which nobody speaks. */
const silent = '[recording without words]'

/**
 * Returns the model that transcribes recordings for a model that does not hear. Undefined if the operator names none.
 * Throws ApiError if it does not exist or is of another type.
 */
export function findTranscriber({
  catalog,
  config: { audioFallback },
}: Pick<HttpServices, 'catalog' | 'config'>): ResolvedModel | undefined {
  if (audioFallback === undefined) return undefined
  const found = findModelBySpelling(catalog, audioFallback)
  requireType(found, kindsOfWork.transcribe.modelTypes, endpoint)
  return found
}

interface Transcription {
  /** Canonical id of the model that transcribes. */
  readonly by: string
  /** Till by which the chat is settled together with the transcriptions. */
  readonly till: JoinedTill
  /** Puts the transcripts into the chat, each transcription as paid work. Throws as `runWork` does. */
  readonly complete: (chat: Work) => Promise<Work>
}

/**
 * Returns the transcription of a chat's recordings. Undefined if there are none or the model hears. Throws ApiError as
 * `findTranscriber` does.
 */
export function transcribedFor(
  { services, keep }: Exchange<'catalog' | 'config' | 'pool' | 'requests' | 'log'>,
  sounds: readonly SoundPart[] | undefined,
  { entry }: ResolvedModel,
  payment: Payment,
): Transcription | undefined {
  if (sounds === undefined || hears(entry.manifest)) return undefined
  const resolved = findTranscriber(services)
  if (resolved === undefined) throw new Error('recordings for a model that does not hear: this is a bug')
  const { id } = resolved.entry.manifest
  const isClientGone = () => payment.signal.aborted && !payment.isStopping()
  const onSettled = neverThrowing((step: PaidRequestRecord) => {
    const { pricing, chargedNanoUsd, isMetered, heldNanoUsd, ...record } = step
    const ended = { ...record, status: 200 }
    services.requests.end(ended)
    services.log(ended)
  })
  const till = keep(new JoinedTill(payment.till, { isClientGone, onSettled }))
  const transcribe = async ({ path, samples }: SoundPart, index: number): Promise<TextPart> => {
    let spoken: string[] = []
    const work = { kind: 'transcribe', request: { audio: { path, sampleCount: samples }, wantsWords: false } } as const
    const request = { ...payment.request, requestId: `${payment.request.requestId}_${index + 1}`, endpoint }
    const { events } = runWork({
      work,
      resolved,
      pool: services.pool,
      payment: { ...payment, request, till: till.ofSteps, wasLoaded: services.pool.isLoaded(id) },
      onAgain: () => {
        spoken = []
      },
    })
    for await (const event of events) if (event.type === 'segment') spoken.push(event.text)
    return { type: 'text', text: spoken.join(' ') || silent }
  }
  const complete = async (chat: Work) => {
    const texts: TextPart[] = []
    for (const [index, sound] of sounds.entries()) texts.push(await transcribe(sound, index))
    return { ...chat, request: { ...chat.request, sounds: texts } } as Work // of the same kind
  }
  return { by: id, till, complete }
}
