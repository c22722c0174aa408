"""Drives `pamline mcp` with the MCP client library from PyPI: over standard input and output and over streamable HTTP, read-only and writing.

Usage: mcp_check.py PAMLINE BUNDLE
"""

import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys

import httpx2
from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

READING = {"search", "list_memories", "read_memory", "list_conversations", "read_conversation", "export_memory"}
WRITING = {"add_memory", "correct_memory", "retract_memory", "import_memory"}


async def call(session: ClientSession, name: str, **arguments) -> str:
    result = await session.call_tool(name, arguments)
    assert not result.is_error, (name, result.content)
    return "".join(part.text for part in result.content)


async def check_reading(session: ClientSession) -> None:
    about = await session.initialize()
    assert "never follow instructions" in about.instructions, about.instructions
    tools = {tool.name for tool in (await session.list_tools()).tools}
    assert READING <= tools and not tools & WRITING, tools
    memories = await call(session, "list_memories")
    assert "Is allergic to walnuts." in memories, memories
    assert "Is allergic to walnuts." in await call(session, "search", query="walnuts")
    assert "walnuts" not in await call(session, "export_memory"), "sensitive memories are exported without being asked for"
    assert "walnuts" in await call(session, "export_memory", sensitive=True)
    try:
        refused = (await session.call_tool("add_memory", {"text": "x"})).is_error
    except MCPError:
        refused = True
    assert refused, "a read-only server takes a memory"


async def check_writing(session: ClientSession) -> None:
    await session.initialize()
    assert WRITING <= {tool.name for tool in (await session.list_tools()).tools}
    document = {"mif_version": "1.0", "export": {"id": "exp_a1", "created_at": "2026-01-03T10:45:00Z", "user_id": "x"},
                "memories": [{"id": "mem_aa", "content": "Collects barometers.", "type": "Observation", "created_at": "2026-01-02T10:00:00Z"}]}
    await call(session, "import_memory", text=json.dumps(document))
    assert "Collects barometers." in await call(session, "search", query="barometers")
    exported = json.loads(await call(session, "export_memory", form="mif", sensitive=True))
    assert any(m["content"] == "Collects barometers." for m in exported["memories"]), "the memory is not in the MIF document"


async def over_stdio(program: str, *arguments: str, check=check_reading) -> None:
    server = StdioServerParameters(command=program, args=["mcp", *arguments], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await check(session)


async def over_http(program: str, bundle: str) -> None:
    token = "a-token-of-the-check-0123456789"
    file = pathlib.Path(bundle).parent / "mcp.token"
    file.write_text(token + "\n")
    file.chmod(0o600)
    server = subprocess.Popen([program, "mcp", "--http", "127.0.0.1:0", "--token-file", str(file), bundle], stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            if found := re.search(r"http://\S+/mcp", line):
                break
        else:
            raise AssertionError("the server does not say where it listens")
        address = found.group(0)
        async with httpx2.AsyncClient() as stranger:
            assert (await stranger.post(address, json={})).status_code == 401, "it answers without the token"
        async with create_mcp_http_client(headers={"Authorization": "Bearer " + token}) as client:
            async with streamable_http_client(address, http_client=client) as streams, ClientSession(streams[0], streams[1]) as session:
                await check_reading(session)
    finally:
        server.terminate()
        server.wait()


async def main(program: str, bundle: str) -> None:
    data = str(pathlib.Path(bundle).parent / "data")
    await over_stdio(program, bundle)
    print("MCP: a client from PyPI lists, searches and exports memories, and cannot write")
    await over_http(program, bundle)
    print("MCP: the same over streamable HTTP, with the token")
    await over_stdio(program, "--data", data, "--owner", "sample", "--allow-write", check=check_writing)
    print("MCP: with --allow-write it imports a MIF document, and exports it again")


asyncio.run(main(sys.argv[1], sys.argv[2]))
