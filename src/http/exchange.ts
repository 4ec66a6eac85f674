import type { BodyIntake } from './bodies/body-intake.ts'
import type { RequestObserver } from './request-observer.ts'
import type { Route } from './route.ts'
import type { HttpServices } from './services.ts'

/** The shape of errors. */
export type ErrorDialect = 'chat' | 'messages' | 'cohere' | 'ollama'

/**
 * One request and what handlers need to answer it. `Name` are the services that the handler uses; its tests need no
 * others.
 */
export interface Exchange<Name extends keyof HttpServices = never> {
  readonly request: Request
  readonly url: URL
  readonly observer: RequestObserver
  /** Form of errors. */
  readonly dialect: ErrorDialect
  readonly services: Pick<HttpServices, Name>
  /** Routes of the port that the request came to. */
  readonly routes: readonly Route[]
  readonly intake: BodyIntake
  /** IP address of the client, or the best guess behind untrusted proxies */
  readonly clientAddress: string
  /** IP address of the connection's other end: the client or a proxy */
  readonly peerAddress: string | undefined
  /** Port that the server listens on. The port in `url` may be a proxy's. */
  readonly port: number
  /** Address of this server as the client should see it, without path. */
  readonly baseUrl: string
  /**
   * Sets whether the connection is closed after a silence. The limit is off while a model works, which may load and
   * read a prompt for minutes, and on while an answer waits for the client to read it.
   */
  readonly limitSilence: (isLimited: boolean) => void
  /** Milliseconds UTC. */
  readonly arrivedAtMs: number
  /**
   * Disposes of the resource when the request has ended, however it ended. An answer that is complete is sent only
   * afterwards. The disposal must not reject.
   */
  readonly keep: <Resource extends AsyncDisposable>(resource: Resource) => Resource
  /**
   * Calls the function when the request ends, before anything is disposed of: a client that has its answer may send the
   * next request at once. It must not throw.
   */
  readonly onEnd: (call: () => void) => void
  /** Adds headers to the answer, also to an error. Called when the answer is made. */
  readonly answerWith: (headers: () => readonly (readonly [name: string, value: string])[]) => void
  /**
   * Keeps the request open after the handler has returned. Returns the function that ends it, to be called exactly
   * once however the response ends.
   */
  readonly outlive: () => () => void
}
