/** Steps by which each system trusts a root certificate in the file `inferd-ca.pem`. */
export const trustSteps: readonly { readonly system: string; readonly step: string; readonly isCommand: boolean }[] = [
  { system: 'Windows', step: 'certutil -addstore -f Root inferd-ca.pem', isCommand: true },
  {
    system: 'macOS',
    step: 'sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain inferd-ca.pem',
    isCommand: true,
  },
  {
    system: 'Debian, Ubuntu',
    step: 'sudo cp inferd-ca.pem /usr/local/share/ca-certificates/inferd-ca.crt && sudo update-ca-certificates',
    isCommand: true,
  },
  {
    system: 'Fedora, RHEL',
    step: 'sudo cp inferd-ca.pem /etc/pki/ca-trust/source/anchors/ && sudo update-ca-trust',
    isCommand: true,
  },
  {
    system: 'Chromium on Linux',
    step: 'certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n inferd -i inferd-ca.pem',
    isCommand: true,
  },
  {
    system: 'Firefox',
    step: 'Settings, Privacy & Security, View Certificates, Authorities, Import; tick "identify websites"',
    isCommand: false,
  },
  {
    system: 'iOS, iPadOS',
    step: 'open the file, install the profile in Settings, then switch it on in General, About, Certificate Trust Settings',
    isCommand: false,
  },
  {
    system: 'Android',
    step: 'Settings, Security, Encryption & credentials, Install a certificate, CA certificate',
    isCommand: false,
  },
  { system: 'Node.js, Bun', step: 'export NODE_EXTRA_CA_CERTS=$PWD/inferd-ca.pem', isCommand: true },
  { system: 'Python, curl', step: 'export SSL_CERT_FILE=$PWD/inferd-ca.pem', isCommand: true },
]
