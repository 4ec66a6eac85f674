/** Browser without pages: keeps cookies by host, and follows redirects as a person's click does. */
export class TestBrowser {
  readonly cookies = new Map<string, string>()

  /** Opens an address without following redirects. */
  async open(url: string, headers: Record<string, string> = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = { accept: 'text/html', ...(cookie !== '' && { cookie }), ...headers }
    const response = await fetch(url, { redirect: 'manual', headers: sent })
    this.#keep(response)
    return response
  }

  /** Opens an address and follows redirects, at most until an address for which `isEnd` holds. */
  async follow(
    url: string,
    isEnd: (url: string) => boolean = () => false,
  ): Promise<{ url: string; response: Response }> {
    let address = url
    for (let hops = 0; hops < 20; hops++) {
      const response = await this.open(address)
      const location = response.headers.get('location')
      if (location === null) return { url: address, response }
      address = new URL(location, address).href
      if (isEnd(address)) return { url: address, response }
    }
    throw new Error(`too many redirects at ${address}`)
  }

  #keep({ headers }: Response): void {
    for (const set of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      const isOver = /max-age=0(;|$)|expires=thu, 01 jan 1970/i.test(set)
      if (isOver) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}
