/** The answer of GET status: three fields for guests, all of them for those who are signed in. */
export interface GuestStatus {
  readonly signup_open: boolean
  readonly sends_mail: boolean
  /** The page came over https, or from this very machine: what is typed cannot be read on the way. */
  readonly is_secure: boolean
  /** What stands before and after the words of a command that reaches this server; null for browsers of other machines. */
  readonly commands: { readonly program: string; readonly flags: string } | null
}

export interface MemberStatus extends GuestStatus {
  readonly version: string
  /** The session has an operator's rights. */
  readonly is_operator: boolean
  /** Address of the server as clients should see it, without path. */
  readonly base_url: string
  /** Models that can be asked, and those of them that are in memory: see core/model-counts.ts. */
  readonly models_installed: number
  readonly models_loaded: number
  /** A chat model among them, one that is loaded if any is. */
  readonly example_model: string | null
  /** Added to the balance when the account confirms its address, as exact decimal text; null where there is none. */
  readonly starter_credit_usd: string | null
  /** The operator's words on how else money is added. */
  readonly top_up_text: string | null
  readonly limits: {
    /** Bytes of one picture, as a file. */
    readonly image_bytes: number
    /** Pictures of a request. */
    readonly images: number
    /** Bytes of a recording, as a file. */
    readonly audio_bytes: number
    /** Characters of a text to speak. */
    readonly speech_chars: number
  }
}
