import type { Role } from '../../core/roles.ts'

/** Answer of GET status for guests. Signed-in accounts get more fields. */
export interface GuestStatus {
  readonly signup_open: boolean
  readonly sends_mail: boolean
  /** Identity providers of the sign-in page. `start` is the address that begins a sign-in. */
  readonly providers: readonly { readonly name: string; readonly label: string; readonly start: string }[]
  /** True if a password of somebody may sign in from this browser. */
  readonly local_sign_in: boolean
  /** True if the page came over https or from this machine, so that typed text cannot be read on the way. */
  readonly is_secure: boolean
  /** Text before and after a command's words that makes it reach this server. Null for browsers on other machines. */
  readonly commands: { readonly program: string; readonly flags: string } | null
}

export interface MemberStatus extends GuestStatus {
  readonly version: string
  /** Rights of the session on the operators' pages. */
  readonly role: Role
  /** Identity provider that the session began with. */
  readonly provider: string | null
  /** Public address of the server without path. */
  readonly base_url: string
  /** Numbers of models that can be requested and that are in memory: see core/model-counts.ts. */
  readonly models_installed: number
  readonly models_loaded: number
  /** Operations that the role may perform on the pages of staff, with the fields it may give. Absent for members. */
  readonly operations?: { readonly [name: string]: 'all' | readonly string[] }
  /** Downloads by the server that run. Absent for accounts without an operator's rights. */
  readonly downloads_running?: number
  /** Chat model among them, a loaded one if any. */
  readonly example_model: string | null
  /** Amount added to the balance when the account confirms its address, exact decimal text. Null if there is none. */
  readonly starter_credit_usd: string | null
  /** Operator's text on other ways to add money. */
  readonly top_up_text: string | null
  readonly limits: {
    /** Largest picture file in bytes. */
    readonly image_bytes: number
    /** Most pictures per request. */
    readonly images: number
    /** Largest recording file in bytes. */
    readonly audio_bytes: number
    /** Most characters of a text to speak. */
    readonly speech_chars: number
  }
}
