# cell: ended
import asyncio

def plant():
    async def later():
        print("a task of another run")
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.create_task(later())

def probe():
    loop = asyncio.new_event_loop()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
