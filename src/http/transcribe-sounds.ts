import type { ResolvedModel } from '../catalog/catalog.ts'
import type { SoundPart, TextPart } from '../core/content.ts'
import { hears } from '../core/model.ts'
import { kindsOfWork } from '../core/work.ts'
import { JoinedTill } from '../inference/joined-till.ts'
import { findModelBySpelling, requireType } from '../inference/resolve-model.ts'
import { type Payment, runWork } from '../inference/run-work.ts'
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

interface TranscribedSounds {
  readonly sounds: readonly TextPart[]
  /** Canonical id of the model that transcribed them. */
  readonly by: string
  /** Till by which the chat is settled together with the transcriptions. */
  readonly till: JoinedTill
}

/**
 * Transcribes the recordings of a chat with a model that does not hear, each as paid work. Undefined if there are none
 * or the model hears. Throws as `runWork` does; nothing is charged unless the chat is settled by the returned till.
 */
export async function transcribeSounds(
  { services, keep }: Exchange<'catalog' | 'config' | 'pool'>,
  sounds: readonly SoundPart[] | undefined,
  { entry }: ResolvedModel,
  payment: Payment,
): Promise<TranscribedSounds | undefined> {
  if (sounds === undefined || hears(entry.manifest)) return undefined
  const resolved = findTranscriber(services)
  if (resolved === undefined) throw new Error('recordings for a model that does not hear: this is a bug')
  const till = keep(new JoinedTill(payment.till))
  const texts: TextPart[] = []
  for (const [index, { path, samples }] of sounds.entries()) {
    let spoken: string[] = []
    const work = { kind: 'transcribe', request: { audio: { path, sampleCount: samples }, wantsWords: false } } as const
    const request = { ...payment.request, requestId: `${payment.request.requestId}_${index + 1}`, endpoint }
    const wasLoaded = services.pool.isLoaded(resolved.entry.manifest.id)
    const { events } = runWork({
      work,
      resolved,
      pool: services.pool,
      payment: { ...payment, request, till: till.ofSteps, wasLoaded },
      onAgain: () => {
        spoken = []
      },
    })
    for await (const event of events) if (event.type === 'segment') spoken.push(event.text)
    texts.push({ type: 'text', text: spoken.join(' ') || silent })
  }
  return { sounds: texts, by: resolved.entry.manifest.id, till }
}
