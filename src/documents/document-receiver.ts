import type { ImagePart, TextPart } from '../core/content.ts'
import { Turns } from '../core/turns.ts'
import type { FileFetcher } from '../images/fetch/file-fetcher.ts'
import type { SentImage } from '../images/sent-images.ts'
import { Unreadable } from '../images/unreadable.ts'
import type { Spool, SpooledFile } from '../spool/spool.ts'
import {
  documentLimits,
  invalidDocument,
  orRemark,
  requireFewDocuments,
  requireReadable,
  withoutOldest,
  withoutText,
} from './document-errors.ts'
import type { DocumentPage, DocumentQuestion } from './document-pages.ts'
import { KeptPages, keptPagesDefaults } from './kept-pages.ts'
import { type DocumentContent, PageLayout, textOf, toImage } from './page-layout.ts'
import { readDocument } from './read-document.ts'
import { contentOfBytes, type SentDocument } from './sent-documents.ts'

/** Documents read at once. Each takes a process with up to 700 MB, and a hostile one its whole time. */
const documentTurns = { all: 2, ofAccount: 1 }

/** Time limit of a document in milliseconds. Usual ones take less than a second. */
const documentLimitMs = 60_000

const pieceBytes = 1024 * 1024

export interface DocumentReceiverOptions {
  readonly spool: Pick<Spool, 'write'>
  /** Command that starts this program. */
  readonly command: readonly string[]
  readonly fetcher: Pick<FileFetcher, 'fetch' | 'requireAllowed'>
  readonly limitMs?: number
}

interface StoreOptions {
  /** Account whose spool quota the files count against. */
  readonly accountId: string
  readonly signal: AbortSignal
  /** Keeps each file as long as the request runs. */
  readonly keep: (file: SpooledFile) => unknown
}

interface ReadOptions extends StoreOptions {
  /** True if the model takes pictures. */
  readonly sees: boolean
  /** Canonical id of the model, for errors. */
  readonly modelId: string
  /** True if the engine needs no pixels, as for counting tokens. */
  readonly sizesOnly: boolean
  /** Called for each page of a PDF, sheet and slide. */
  readonly onPage?: () => void
  /** Checks pictures of pages and puts them into spool files. */
  readonly receive: (images: readonly SentImage[]) => Promise<readonly (ImagePart | TextPart)[]>
}

interface ReadFile {
  readonly path: string
  readonly question: DocumentQuestion
}

/** Document whose bytes are in the spool. */
export interface StoredDocument {
  readonly document: SentDocument
  /** Path of a file that a process reads. Undefined for others. */
  readonly path: string | undefined
}

/** Reads the documents of requests: plain text in this process, all else in children. */
export class DocumentReceiver {
  readonly #options: DocumentReceiverOptions
  readonly #turns = new Turns(documentTurns)
  readonly #kept = new KeptPages(keptPagesDefaults)

  constructor(options: DocumentReceiverOptions) {
    this.#options = options
  }

  /**
   * Checks the documents and writes files of other kinds than text to the spool. Throws ApiError 400
   * `invalid_document`, `unsupported_content` or `too_many_documents`, 413, errors of `Spool`, and the signal's reason.
   * Documents of tools that cannot be read are no errors, since agents do not choose their tools' results.
   */
  async store(documents: readonly SentDocument[], options: StoreOptions): Promise<readonly StoredDocument[]> {
    requireFewDocuments(documents)
    for (const document of documents) {
      const { content, param, isToolResult } = document
      if (isToolResult) continue
      requireReadable(document)
      if (content.kind === 'url') this.#options.fetcher.requireAllowed(param)
    }
    const stored: StoredDocument[] = []
    for (const document of withoutOldest(documents)) {
      stored.push({ document, path: await this.#write(document, options) })
    }
    return stored
  }

  async #write({ content }: SentDocument, { accountId, signal, keep }: StoreOptions): Promise<string | undefined> {
    if (content.kind !== 'file') return undefined
    signal.throwIfAborted()
    const file = await this.#options.spool.write(piecesOf(content.bytes), { accountId })
    keep(file)
    // Frees the memory at once: reading may take a minute.
    content.bytes.buffer.transfer(0)
    return file.path
  }

  /**
   * Returns the content of each document, fetched if need be. Throws ApiError 400 `invalid_document`,
   * `invalid_document_url`, `unsupported_content` for a document without text if the model sees no pictures, errors of
   * `receive`, and the signal's reason.
   */
  async read(stored: readonly StoredDocument[], options: ReadOptions): Promise<readonly DocumentContent[]> {
    const contents: DocumentContent[] = []
    let charactersLeft = documentLimits.characters
    for (const each of stored) {
      const content = await orRemark(each.document, async () => {
        return await this.#contentOf(each, charactersLeft, options)
      })
      contents.push(content)
      for (const part of content) if (part.type === 'text') charactersLeft -= part.text.length
    }
    return contents
  }

  async #contentOf(stored: StoredDocument, limit: number, options: ReadOptions): Promise<DocumentContent> {
    const { document, path } = await this.#fetched(stored, options)
    requireReadable(document)
    const { content, name, param } = document
    const head = name === undefined ? [] : [`[${name}]`]
    if (content.kind === 'text') {
      if (content.text.length > limit) throw invalidDocument(param, 'the documents of the request have too much text')
      return content.text === '' ? [] : [textOf([...head, content.text])]
    }
    if (content.kind !== 'file' || path === undefined) throw new Error('an unchecked document: this is a bug')
    const question: DocumentQuestion = {
      pictures: picturesFor(document, options),
      hasPixels: options.sees && !options.sizesOnly,
      charactersLimit: limit,
    }
    return await this.#contentOfFile(document, content.hash, { path, question }, options)
  }

  /** Returns a document at another server as one in the spool, and others unchanged. */
  async #fetched(stored: StoredDocument, options: ReadOptions): Promise<StoredDocument> {
    const { content, param } = stored.document
    if (content.kind !== 'url') return stored
    const { accountId, signal } = options
    using fetched = await this.#options.fetcher.fetch({ url: content.url, param, accountId, signal })
    const document = { ...stored.document, content: contentOfBytes(fetched.bytes, '') }
    return { document, path: await this.#write(document, options) }
  }

  async #contentOfFile(document: SentDocument, hash: string, file: ReadFile, options: ReadOptions) {
    const { name, param } = document
    const { receive } = options
    const layout = new PageLayout(name)
    try {
      for await (const page of this.#pagesOf(hash, file, options)) {
        layout.begin(page)
        if (page.label !== undefined) options.onPage?.()
        const { label = '', picture } = page
        if (picture !== undefined) layout.add(await receive([toImage(document, label, picture)]))
      }
    } catch (error) {
      if (error instanceof Unreadable) throw invalidDocument(param, error.message, error.cause)
      throw error
    }
    if (!layout.hasContent) throw withoutText(document, options)
    return layout.parts
  }

  /** Yields the pages of a file, those of an earlier request of the account if they are kept. */
  async *#pagesOf(hash: string, { path, question }: ReadFile, options: ReadOptions): AsyncGenerator<DocumentPage> {
    const { accountId, signal } = options
    const { command, limitMs = documentLimitMs } = this.#options
    const key = `${accountId} ${hash} ${JSON.stringify(question)}`
    const kept = this.#kept.find(key)
    if (kept !== undefined) return yield* kept
    using _turn = await this.#turns.take(accountId, 1, signal)
    yield* this.#kept.keeping(key, readDocument(path, question, { command, limitMs, signal }))
  }
}

function picturesFor({ detail }: SentDocument, { sees }: ReadOptions): DocumentQuestion['pictures'] {
  if (!sees) return 'none'
  return detail === 'low' ? 'scans' : 'all'
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}
