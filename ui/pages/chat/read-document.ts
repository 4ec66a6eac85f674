import { respond } from '../../api/request.ts'
import { bytesText } from '../../parts/bytes-text.ts'
import { texts } from '../../texts/texts.ts'
import { type DocumentFacts, newId, type Picture } from './conversation.ts'
import { dataUrl } from './read-picture.ts'

/** Largest document in bytes that the server reads. */
const maximumBytes = 50 * 1024 * 1024

const officeTypes: Readonly<Record<string, string>> = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
}

/** Returns the media type of a PDF or an Office file, undefined for other files. */
export async function documentType(file: File): Promise<string | undefined> {
  const head = await file.slice(0, 1024).text()
  if (head.includes('%PDF-')) return 'application/pdf'
  const extension = /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase() ?? ''
  return head.startsWith('PK\x03\x04') && Object.hasOwn(officeTypes, extension) ? officeTypes[extension] : undefined
}

/**
 * Returns a document that can be sent, with its tokens for the model and its pages. Rejects with an Error that explains
 * why it cannot be.
 */
export async function readDocument(file: File, type: string, model: string | undefined): Promise<Picture> {
  if (file.size > maximumBytes)
    throw new Error(texts.chat.documentTooLarge(file.name, bytesText(file.size), bytesText(maximumBytes)))
  const url = await dataUrl(new Blob([file], { type }))
  const document =
    model === undefined ? {} : await count(url, type, model).catch((error) => throwNamed(error, file.name))
  return { id: newId(), url, name: file.name, width: 0, height: 0, bytes: file.size, document }
}

async function count(url: string, type: string, model: string): Promise<DocumentFacts> {
  const source = { type: 'base64', media_type: type, data: url.slice(url.indexOf(',') + 1) }
  const messages = [{ role: 'user', content: [{ type: 'document', source }] }]
  const response = await respond('/dashboard/v1/messages/count_tokens', { method: 'POST', body: { model, messages } })
  const { input_tokens: tokens }: { readonly input_tokens: number } = await response.json()
  const pages = Number(response.headers.get('x-document-pages') ?? 0)
  return { tokens, pages }
}

/** Throws the error with the file's name in place of its place in the request. */
function throwNamed(error: unknown, name: string): never {
  if (!(error instanceof Error)) throw error
  throw new Error(
    error.message.replace(/^'messages\S+'/, () => name),
    { cause: error },
  )
}
