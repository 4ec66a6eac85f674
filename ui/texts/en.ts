/** English, page by page. */
import { account, accounts } from './en/accounts.ts'
import { billing } from './en/billing.ts'
import { chat } from './en/chat.ts'
import { keys } from './en/keys.ts'
import { mail } from './en/mail.ts'
import { model, models } from './en/models.ts'
import { money } from './en/money.ts'
import { audit, ledger } from './en/operator.ts'
import { overview } from './en/overview.ts'
import { ownAccount } from './en/own-account.ts'
import { ownModels } from './en/own-models.ts'
import { ownUsage } from './en/own-usage.ts'
import { play } from './en/play.ts'
import { requests } from './en/requests.ts'
import { search } from './en/search.ts'
import { setup } from './en/setup.ts'
import { markdown, shared } from './en/shared.ts'
import { shell } from './en/shell.ts'
import { signIn, signUp } from './en/sign-in.ts'
import { speak } from './en/speak.ts'
import { system } from './en/system.ts'
import { transcribe } from './en/transcribe.ts'
import { usage } from './en/usage.ts'

export const en = {
  shared,
  shell,
  account,
  accounts,
  chat,
  keys,
  markdown,
  model,
  models,
  overview,
  audit,
  billing,
  mail,
  money,
  ledger,
  ownAccount,
  ownModels,
  ownUsage,
  play,
  requests,
  setup,
  signIn,
  signUp,
  speak,
  system,
  transcribe,
  usage,
  search,
}
