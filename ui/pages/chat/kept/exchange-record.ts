/** Exchanges as records of the browser's database. */
import { readAnswer, writeAnswer } from '../answer-json.ts'
import type { Exchange, Picture } from '../conversation.ts'
import { toBlob, toDataUrl } from './picture-blob.ts'
import type { ExchangeRecord, PictureFacts, PictureRecord } from './records.ts'

/** Interval at which a tab writes a growing answer. */
export const growingMs = 1_000
/** Time after which a growing answer counts as stopped, because its tab writes no more. */
export const growthEndMs = 5 * growingMs

export function writeExchange(conversation: number, exchange: Exchange): ExchangeRecord {
  const { id, parent, questionId, askedAtMs, isRemoved, question, answers } = exchange
  return {
    ...{ conversation, id, parent, questionId, askedAtMs },
    ...(isRemoved === true && { isRemoved }),
    text: question.text,
    pictures: question.pictures.map(factsOf),
    lostPictures: question.lostPictures,
    ...(question.files.length > 0 && { files: question.files }),
    // Holds nothing that a database or a file could not.
    answers: JSON.parse(JSON.stringify(answers.map((answer) => (answer === undefined ? null : writeAnswer(answer))))),
  }
}

/** Returns a picture without its content. */
export function factsOf({ url: _, ...facts }: Picture): PictureFacts {
  return facts
}

/** Returns the content of the pictures that are not stored yet. */
export function writePictures(
  conversation: number,
  pictures: readonly Picture[],
  stored: ReadonlySet<number>,
): PictureRecord[] {
  const missing = pictures.filter(({ id }) => !stored.has(id))
  return missing.map(({ id, url }) => ({ conversation, id, blob: toBlob(url) }))
}

/** Returns an exchange with its pictures by id. Pictures without content count as lost. */
export function readExchange(record: ExchangeRecord, urls: ReadonlyMap<number, string>): Exchange {
  const { id, parent, questionId, askedAtMs, isRemoved, text, growingAtMs = 0 } = record
  const isGrowing = Date.now() - growingAtMs < growthEndMs
  const pictures = withContent(record.pictures, urls)
  const lostPictures = record.lostPictures + record.pictures.length - pictures.length
  return {
    ...{ id, parent, questionId, askedAtMs },
    ...(isRemoved === true && { isRemoved }),
    question: { text, pictures, lostPictures, files: record.files ?? [] },
    answers: record.answers.map((answer) => readAnswer(answer, isGrowing)),
  }
}

/** Returns pictures with their content. Leaves out those without. */
export function withContent(pictures: readonly PictureFacts[], urls: ReadonlyMap<number, string>): Picture[] {
  return pictures.flatMap((facts) => {
    const url = urls.get(facts.id)
    return url === undefined ? [] : [{ ...facts, url }]
  })
}

/** Returns data URLs of pictures by id. */
export async function readPictures(pictures: readonly PictureRecord[]): Promise<Map<number, string>> {
  return new Map(await Promise.all(pictures.map(async ({ id, blob }) => [id, await toDataUrl(blob)] as const)))
}
