import { Turns } from '../core/turns.ts'
import type { FileFetcher } from '../images/fetch/file-fetcher.ts'
import { orRemark } from '../images/or-remark.ts'
import type { SentImage } from '../images/sent-images.ts'
import { Unreadable } from '../images/unreadable.ts'
import type { Spool, SpooledFile } from '../spool/spool.ts'
import { moveBytes } from '../spool/write-bytes.ts'
import {
  invalidDocument,
  remark,
  requireFewDocuments,
  requireReadable,
  withoutOldest,
  withoutText,
} from './document-errors.ts'
import { type DocumentPage, type DocumentQuestion, requireShort } from './document-pages.ts'
import { KeptPages, keptPagesDefaults } from './kept-pages.ts'
import { type DocumentContent, type LaidOut, PageLayout, textOf, toImage } from './page-layout.ts'
import { readDocument } from './read-document.ts'
import { contentOfBytes, type SentDocument } from './sent-documents.ts'

/** Documents read at once. Each takes a process with up to 1 GB, and a hostile one its whole time. */
const documentTurns = { all: 2, ofAccount: 1 }

/** Time limit of a document in milliseconds. Usual ones take less than a second. */
const documentLimitMs = 60_000

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
  /** Account whose later requests may have the same pages. */
  readonly cacheOwner: string
  /** True if the model takes pictures. */
  readonly sees: boolean
  /** Canonical id of the model, for errors. */
  readonly modelId: string
  /** True if the engine needs no pixels, as for counting tokens. */
  readonly sizesOnly: boolean
  /** Checks the picture of a page, which follows `earlier` contents, and puts it into a spool file. */
  readonly receive: (image: SentImage, earlier: DocumentContent) => Promise<DocumentContent>
}

interface ReadFile {
  readonly path: string
  readonly hash: string
}

interface ReadDocuments {
  /** Content of each document. */
  readonly contents: readonly DocumentContent[]
  /** Pages of PDFs, sheets and slides. */
  readonly pages: number
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

  /** Writes a file of another kind than text, and frees its memory: reading may take a minute. */
  async #write({ content }: SentDocument, options: StoreOptions): Promise<string | undefined> {
    if (content.kind !== 'file') return undefined
    const { path } = await moveBytes(this.#options.spool, content.bytes, options)
    return path
  }

  /**
   * Returns the contents of the documents, fetched if need be. Throws ApiError 400 `invalid_document`,
   * `invalid_document_url`, `unsupported_content` for a document without text if the model sees no pictures, errors of
   * `receive`, and the signal's reason.
   */
  async read(stored: readonly StoredDocument[], options: ReadOptions): Promise<ReadDocuments> {
    const contents: DocumentContent[] = []
    let pages = 0
    for (const each of stored) {
      const read = await orRemark(each.document, remark, () => this.#read(each, contents.flat(), options))
      contents.push(read.parts)
      pages += read.pages
    }
    return { contents, pages }
  }

  /** Reads a document that follows `earlier` contents. */
  async #read(stored: StoredDocument, earlier: DocumentContent, options: ReadOptions): Promise<LaidOut> {
    try {
      const { document, path } = await this.#fetched(stored, options)
      requireReadable(document)
      const { content, name } = document
      if (content.kind === 'text') {
        requireShort(charactersOf(earlier) + content.text.length)
        const head = name === undefined ? [] : [`[${name}]`]
        return { parts: content.text === '' ? [] : [textOf([...head, content.text])], pages: 0 }
      }
      if (content.kind !== 'file' || path === undefined) throw new Error('an unchecked document: this is a bug')
      return await this.#readFile(document, { path, hash: content.hash }, earlier, options)
    } catch (error) {
      if (error instanceof Unreadable) throw invalidDocument(stored.document.param, error.message, error.cause)
      throw error
    }
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

  async #readFile(document: SentDocument, file: ReadFile, earlier: DocumentContent, options: ReadOptions) {
    const layout = new PageLayout(document.name)
    let characters = charactersOf(earlier)
    for await (const page of this.#pagesOf(file, questionOf(document, options), options)) {
      const { label = '', text, picture } = page
      characters += text.length
      requireShort(characters)
      layout.begin(page)
      if (picture === undefined) continue
      layout.add(await options.receive(toImage(document, label, picture), [...earlier, ...layout.parts]))
    }
    if (!layout.hasContent) throw withoutText(document, options)
    return layout
  }

  /** Yields the pages of a file, those of an earlier request of the account if they are kept. */
  async *#pagesOf(
    { path, hash }: ReadFile,
    question: DocumentQuestion,
    { accountId, cacheOwner, signal }: ReadOptions,
  ): AsyncGenerator<DocumentPage> {
    const { command, limitMs = documentLimitMs } = this.#options
    const key = `${cacheOwner} ${hash} ${JSON.stringify(question)}`
    const kept = this.#kept.find(key)
    if (kept !== undefined) return yield* kept
    using _turn = await this.#turns.take(accountId, 1, signal)
    // Another request may have read it in the meantime.
    const pages = this.#kept.find(key)
    if (pages !== undefined) return yield* pages
    yield* this.#kept.keeping(key, accountId, readDocument(path, question, { command, limitMs, signal }))
  }
}

function questionOf(document: SentDocument, options: ReadOptions): DocumentQuestion {
  return { pictures: picturesFor(document, options), hasPixels: options.sees && !options.sizesOnly }
}

function picturesFor({ detail }: SentDocument, { sees }: ReadOptions): DocumentQuestion['pictures'] {
  if (!sees) return 'none'
  return detail === 'low' ? 'scans' : 'all'
}

function charactersOf(parts: DocumentContent): number {
  return parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
}
