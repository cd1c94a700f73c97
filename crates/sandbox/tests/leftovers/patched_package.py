# cell: ended
import email.message

def plant():
    email.message.Message.get_content_type = lambda self: "what another run says"

def probe():
    return email.message.Message().get_content_type()
