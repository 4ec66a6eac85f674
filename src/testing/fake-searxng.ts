/** A SearXNG server on loopback whose answers a test decides. */
export interface FakeSearxng extends AsyncDisposable {
  readonly url: string
  /** Paths with queries that were asked, oldest first. */
  readonly asked: string[]
  /** Answer to the next searches. Defaults to `foundPages`. */
  answer: (request: Request) => Response | Promise<Response>
}

/** Results as SearXNG sends them, with the fields that nobody reads left out. */
export const foundPages = [
  {
    url: 'https://en.example.org/oslo',
    title: 'Oslo',
    content: 'Oslo is the capital of Norway.',
    publishedDate: '2026-01-02',
  },
  { url: 'https://travel.example.com/norway/oslo', title: 'Oslo in two days', content: 'Begin at the opera.' },
]

export function fakeSearxng(): FakeSearxng {
  const asked: string[] = []
  const fake = {
    asked,
    answer: (_: Request): Response | Promise<Response> => Response.json({ query: 'q', results: foundPages }),
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url)
      asked.push(pathname + search)
      return fake.answer(request)
    },
  })
  return Object.assign(fake, {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: async () => await server.stop(true),
  })
}
