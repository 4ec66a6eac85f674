import { minuteMs } from '../../core/durations.ts'

/** Sign-in that was sent to a provider and has not come back. */
export interface PendingSignIn {
  readonly provider: string
  /** Path of this server to open afterwards. */
  readonly to: string
  readonly nonce: string
  readonly codeVerifier: string
  /** True if the provider must ask the person nothing. */
  readonly isSilent: boolean
  /** Account that is signed in and gets the identity. Undefined to sign in. */
  readonly linkTo: string | undefined
}

interface Remembered extends PendingSignIn {
  readonly network: string
  /** Secret in the browser's cookie. */
  readonly browser: string
  readonly beganMs: number
}

const lifetimeMs = 10 * minuteMs
/** Most pending sign-ins, which bounds memory. The oldest are forgotten first. */
const maximum = 2_000
const maximumOfNetwork = 100

/** Sign-ins between the start and the return from the provider, each for one use by the browser that began it. */
export class PendingSignIns {
  readonly #monotonicMs: () => number
  /** Sign-ins by their state, in order of their start. */
  readonly #byState = new Map<string, Remembered>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /** Remembers a sign-in. `browser`: secret in the cookie of the browser that may end it. */
  add(state: string, pending: PendingSignIn, { browser, network }: { browser: string; network: string }): void {
    this.#forgetOld()
    const ofNetwork = [...this.#byState].filter(([, other]) => other.network === network)
    if (ofNetwork.length >= maximumOfNetwork) this.#byState.delete(ofNetwork[0]?.[0] ?? '')
    const [oldest] = this.#byState.keys()
    if (this.#byState.size >= maximum && oldest !== undefined) this.#byState.delete(oldest)
    this.#byState.set(state, { ...pending, network, browser, beganMs: this.#monotonicMs() })
  }

  /** Returns a sign-in with this provider that the browser began; undefined if there is none. */
  find(state: string, { browser, provider }: { browser: string; provider: string }): PendingSignIn | undefined {
    this.#forgetOld()
    const found = this.#byState.get(state)
    if (found?.provider !== provider || found.browser !== browser) return undefined
    return found
  }

  /** Ends a sign-in: its state cannot be used again. */
  end(state: string): void {
    this.#byState.delete(state)
  }

  #forgetOld(): void {
    const now = this.#monotonicMs()
    for (const [state, { beganMs }] of this.#byState) {
      if (now - beganMs < lifetimeMs) return
      this.#byState.delete(state)
    }
  }
}
