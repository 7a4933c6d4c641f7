import { WORKSPACE } from './parts.js'

export const text = `  holdfast mcp [options] -- <server command>   hooks between an MCP client and a server
  holdfast mcp [options] --url ADDRESS         the same for a server behind HTTP
  holdfast mcp install, uninstall              put it into a client's settings, and take it out again

  The client starts this command instead of the server. Every tool call passes preToolUse and
  beforeMCPExecution, every result afterMCPExecution and postToolUse; all else is handed on as it is.
  A denied call never reaches the server; the model reads why. Where the client can show a form, a hook
  that asks is shown to the person; otherwise asking is a deny.

    --name NAME        what hooks read in mcp_server_name (otherwise what the server calls itself)
    --url ADDRESS      a server with Streamable HTTP; the client still talks to this command
    --header TEXT      "Name: value" for that server; may be given several times. Secrets are better
                       kept in the variable HOLDFAST_MCP_HEADERS, one on each line
    --no-log           do not write to the log

${WORKSPACE}
  install and uninstall
    --client FILE      the settings of a client: mcp.json, .mcp.json, settings.json \u2026; several times, too
                       (otherwise those of the project: .cursor/mcp.json, .vscode/mcp.json, .mcp.json)
    --server NAME      only this server; may be given several times
    --dry-run          show what would change
    --root DIR, --home DIR, --json, --color, --no-color

  Exit code
    that of the server; 1 when it cannot be started or the call is wrong

  Examples
    holdfast mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .
    holdfast mcp --name docs --url https://example.com/mcp
    holdfast mcp install --dry-run
    holdfast mcp uninstall
`
