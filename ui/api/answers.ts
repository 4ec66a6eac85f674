/** Shapes of answers that several pages read. Those of one page stand in `src/wire` and are imported by their types. */

/** GET /dashboard/api/me. Amounts are exact decimal USD. */
export interface Me {
  readonly id: string
  readonly email: string | null
  readonly name: string
  readonly confirmed: boolean
  readonly is_unmetered: boolean
  readonly balance_usd: string
  readonly held_usd: string
  readonly available_usd: string
  readonly has_password: boolean
}

/** GET /dashboard/api/status: three fields for guests, all of them for accounts. */
export interface Status {
  readonly signup_open: boolean
  readonly sends_mail: boolean
  readonly is_secure: boolean
  readonly version?: string
  readonly is_operator?: boolean
  readonly base_url?: string
  readonly models_ready?: number
  readonly top_up_text?: string | null
  readonly limits?: {
    readonly image_bytes: number
    readonly images: number
    readonly audio_bytes: number
    readonly speech_chars: number
  }
}
