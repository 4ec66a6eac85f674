/** English, page by page. Operators' pages have theirs in en-operator.ts. */
import { billing } from './en/billing.ts'
import { chat } from './en/chat.ts'
import { keys } from './en/keys.ts'
import { limits } from './en/limits.ts'
import { operatorTitles } from './en/operator-titles.ts'
import { ownAccount } from './en/own-account.ts'
import { ownModels } from './en/own-models.ts'
import { ownUsage } from './en/own-usage.ts'
import { play } from './en/play.ts'
import { roles } from './en/roles.ts'
import { search } from './en/search.ts'
import { markdown, shared } from './en/shared.ts'
import { shell } from './en/shell.ts'
import { signIn, signUp } from './en/sign-in.ts'
import { speak } from './en/speak.ts'
import { transcribe } from './en/transcribe.ts'
import { usage } from './en/usage.ts'
import { voice } from './en/voice.ts'

export const en = {
  shared,
  shell,
  chat,
  keys,
  limits,
  operatorTitles,
  markdown,
  billing,
  ownAccount,
  ownModels,
  ownUsage,
  play,
  roles,
  signIn,
  signUp,
  speak,
  transcribe,
  usage,
  search,
  voice,
}
