import { page } from '../page.ts'
import type { Exchange } from '../services.ts'
import pageScript from './page-script.js' with { type: 'text' }

/** GET /dashboard and /dashboard/billing: the same page, whether or not an account is signed in. */
export function dashboardPage({ services }: Exchange): Response {
  const link = services.rules.sendsMail ? 'Mail me a link' : 'Ask the operator for a link'
  return withScript(
    'Account',
    `<p id="notice" role="status"></p>
<section id="guest" hidden>
<form id="sign-in"><label>Mail address<br><input name="email" type="email" autocomplete="username" required></label><br>
<label>Password<br><input name="password" type="password" autocomplete="current-password"></label><br>
<button>Sign in</button><button type="button" id="mail-link">${link}</button></form>
</section>
<section id="account" hidden>
<p><span id="email"></span> <button id="sign-out" type="button">Sign out</button></p>
<p id="unconfirmed" hidden>This address is not confirmed yet. <button id="confirm" type="button">Send the link again</button></p>
<h2 id="billing">Billing</h2>
<p>Balance: <b id="balance"></b><span id="held"></span></p>
<form id="redeem"><label>Voucher code<br><input name="code" autocomplete="off" size="32" required></label> <button>Redeem</button></form>
<p>Vouchers come from the operator of this server, who can also add funds directly.</p>
<table id="ledger"></table>
<h2>API keys</h2>
<form id="new-key"><label>Name<br><input name="name" maxlength="100" required></label> <button>Create</button></form>
<p id="secret"></p>
<table id="keys"></table>
</section>`,
  )
}

/** GET /sign-in?token=: a button, since some mail programs open every link by themselves. */
export function signInPage(): Response {
  return withScript(
    'Sign in',
    `<p id="notice" role="status"></p>
<section id="link"><p><button id="use-link" type="button">Sign in</button></p></section>`,
  )
}

function withScript(title: string, body: string): Response {
  const noscript = '<noscript><p>This page needs JavaScript.</p></noscript>'
  return page({ title, body: `${noscript}${body}`, script: pageScript })
}
