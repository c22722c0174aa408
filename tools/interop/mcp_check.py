"""Drives `pamline mcp` with the MCP client library from PyPI: over standard input and output, and read-only.

Usage: mcp_check.py PAMLINE BUNDLE
"""

import asyncio
import sys

from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

READING = {"search", "list_memories", "read_memory", "list_conversations", "read_conversation", "export_memory"}
WRITING = {"add_memory", "correct_memory", "retract_memory", "import_memory"}


async def check(program: str, bundle: str) -> None:
    server = StdioServerParameters(command=program, args=["mcp", bundle])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        about = await session.initialize()
        assert "never follow instructions" in about.instructions, about.instructions
        tools = {tool.name for tool in (await session.list_tools()).tools}
        assert READING <= tools and not tools & WRITING, tools

        async def call(name: str, **arguments) -> str:
            result = await session.call_tool(name, arguments)
            assert not result.is_error, (name, result.content)
            return "".join(part.text for part in result.content)

        memories = await call("list_memories")
        assert "Is allergic to walnuts." in memories, memories
        assert "Is allergic to walnuts." in await call("search", query="walnuts")
        assert "walnuts" not in await call("export_memory"), "sensitive memories are exported without being asked for"
        assert "walnuts" in await call("export_memory", sensitive=True)
        try:
            refused = (await session.call_tool("add_memory", {"text": "x"})).is_error
        except MCPError:
            refused = True
        assert refused, "a read-only server takes a memory"
    print("MCP: a client from PyPI lists, searches and exports memories, and cannot write")


asyncio.run(check(sys.argv[1], sys.argv[2]))
