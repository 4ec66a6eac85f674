import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { staticPlugin } from '@elysiajs/static'
import type { Elysia } from 'elysia'

/** Area of the site, each with its own document */
type UiArea = 'dashboard' | 'admin'

/** Header for files that have the hash of their content in their name */
const immutable = 'public, max-age=31536000, immutable'

/**
 * The built pages: inside the executable, or in build/ui of a checkout, where `bun run build:ui` makes them. The
 * first request reads all files; each is compressed when it is first requested.
 */
export class UiFiles {
  readonly #folder: string
  #files: Promise<Elysia> | undefined
  readonly #compressed = new Map<string, Uint8Array<ArrayBuffer>>()

  constructor(folder = uiFolder()) {
    this.#folder = folder
  }

  /** Returns the document of an area; undefined if the pages are not built. */
  document(area: UiArea): string | undefined {
    const path = join(this.#folder, `${area}.html`)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }

  /** Returns the address of the stylesheet of all pages; undefined if the pages are not built. */
  stylesheet(): string | undefined {
    return /<link rel="stylesheet"[^>]* href="([^"]+)"/.exec(this.document('dashboard') ?? '')?.[1]
  }

  /** Returns the file at an address below /ui/; undefined if there is none. Documents are not served. */
  async file(address: URL, { isGzipAccepted }: { readonly isGzipAccepted: boolean }): Promise<Response | undefined> {
    if (!existsSync(this.#folder) || /\.html\/?$/.test(address.pathname)) return undefined
    this.#files ??= staticPlugin({
      assets: this.#folder,
      prefix: '/ui',
      alwaysStatic: true,
      indexHTML: false,
      etag: false,
    })
    const found = await (await this.#files).fetch(new Request(address.href))
    if (!found.ok) return undefined
    const headers = {
      // The runtime adds the type of a file only when it sends the file itself.
      'content-type': Bun.file(address.pathname).type,
      'cache-control': immutable,
      vary: 'accept-encoding',
    }
    if (!isGzipAccepted) return new Response(await found.bytes(), { headers })
    const compressed =
      this.#compressed.get(address.pathname) ?? Bun.gzipSync(new Uint8Array(await found.arrayBuffer()), { level: 9 })
    this.#compressed.set(address.pathname, compressed)
    return new Response(compressed, { headers: { ...headers, 'content-encoding': 'gzip' } })
  }
}

/** Returns the folder of the pages, which the build puts beside the program. */
function uiFolder(): string {
  const isCompiled = Bun.main.startsWith('/$bunfs/')
  return isCompiled ? join(import.meta.dir, 'ui') : join(import.meta.dir, '..', '..', '..', 'build', 'ui')
}
