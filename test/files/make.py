#!/usr/bin/env python3
"""Makes the files of this folder. Needs qpdf, ghostscript, and Python with Pillow (README.md)."""
import io, struct, subprocess
from pathlib import Path
from PIL import Image, ImageDraw, ImageFile

here = Path(__file__).parent
Image.MAX_IMAGE_PIXELS = None
ImageFile.MAXBLOCK = 2**24


def run(*words, **options):
    subprocess.run(words, check=True, **options)


def page_scan(name):
    """Two pages with a text, made by ghostscript."""
    words = '/Helvetica findfont 28 scalefont setfont 60 700 moveto (A signed document) show showpage 60 700 moveto (Page 2) show showpage'
    run('gs', '-q', '-dNOPAUSE', '-dBATCH', '-sDEVICE=pdfwrite', '-sPAPERSIZE=a4', f'-sOutputFile={here / name}', '-c', words)


def raw_pdf(objects, trailer='/Root 1 0 R', header=b'%PDF-1.7\n'):
    """A PDF of raw objects with a cross-reference table. objects: {number: bytes}."""
    out, offsets = bytearray(header), {}
    for number, content in objects.items():
        offsets[number] = len(out)
        out += b'%d 0 obj\n%s\nendobj\n' % (number, content)
    start, size = len(out), max(objects) + 1
    out += b'xref\n0 %d\n0000000000 65535 f \n' % size
    for number in range(1, size):
        out += b'%010d 00000 n \n' % offsets[number]
    return bytes(out + b'trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n' % (size, trailer.encode(), start))


def text_stream(text):
    content = b'BT /F1 28 Tf 60 700 Td (%s) Tj ET' % text.encode()
    return b'<< /Length %d >>\nstream\n%s\nendstream' % (len(content), content)


font = b'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
resources = b'/MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R'


def plain(text, catalog=b'', page=b'', more={}):
    return raw_pdf({
        1: b'<< /Type /Catalog /Pages 2 0 R %s >>' % catalog,
        2: b'<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        3: b'<< /Type /Page /Parent 2 0 R %s %s >>' % (resources, page),
        4: text_stream(text), 5: font, **more,
    })


def portrait(width, height):
    image = Image.new('RGB', (width, height), (120, 140, 160))
    draw, side = ImageDraw.Draw(image), min(width, height)
    draw.ellipse((width / 2 - side / 4, height / 4 - side / 8, width / 2 + side / 4, height / 4 + side * 3 / 8), fill=(242, 211, 182))
    draw.rectangle((width / 2 - side * 0.3, height * 0.68, width / 2 + side * 0.3, height), fill=(43, 74, 122))
    return image


def jpeg(image, **options):
    out = io.BytesIO()
    image.save(out, 'JPEG', **{'quality': 80, 'optimize': True, **options})
    return out.getvalue()


def write(name, content):
    (here / name).write_bytes(content)


page_scan('plain.pdf')
for name, *words in [
    ('owner-password-rc4.pdf', '128'),
    ('owner-password-rc4-40.pdf', '40'),
    ('owner-password-aes128.pdf', '128', '--use-aes=y'),
    ('owner-password-aes256.pdf', '256'),
]:
    bits, *others = words
    allowed = ['--print=n', '--modify=n'] if bits == '40' else ['--print=none', '--modify=none']
    run('qpdf', '--allow-weak-crypto', '--object-streams=generate', '--static-id', '--encrypt', '', 'owner',
        bits, *others, *allowed, '--', here / 'plain.pdf', here / name)
run('qpdf', '--static-id', '--encrypt', 'user', 'owner', '256', '--', here / 'plain.pdf', here / 'user-password.pdf')

write('bytes-before-header.pdf', b'\x1b%-12345X@PJL JOB NAME = "scan"\r\n@PJL ENTER LANGUAGE = PDF\r\n' + plain('Behind the commands of a printer'))
write('no-type.pdf', raw_pdf({
    1: b'<< /Pages 2 0 R >>', 2: b'<< /Kids [3 0 R] /Count 1 >>', 3: b'<< /Parent 2 0 R %s >>' % resources,
    4: text_stream('No object names its type'), 5: b'<< /Subtype /Type1 /BaseFont /Helvetica >>',
}))
link = b'<< /Type /Annot /Subtype /Link /Rect [60 690 400 730] /A << /S /GoToR /F (other.pdf) /D [0 /Fit] >> >>'
write('link-to-document.pdf', plain('A link to another document', page=b'/Annots [6 0 R]', more={6: link}))
write('other-document-when-opened.pdf', plain('Opens another document', catalog=b'/OpenAction << /S /GoToR /F (other.pdf) /D [0 /Fit] >>'))
field = b'<< /Type /Annot /Subtype /Widget /FT /Tx /T (age) /Rect [60 600 200 620] /AA << /K << /S /JavaScript /JS (AFNumber_Keystroke\\(0\\)) >> >> >>'
form = plain('A form with scripts', catalog=b'/AcroForm << /Fields [6 0 R] >>', page=b'/Annots [6 0 R]', more={6: field})
write('form-with-script.pdf', form)
write('form.tmp', form)
run('qpdf', '--static-id', '--object-streams=generate', '--encrypt', '', 'owner', '256', '--', here / 'form.tmp', here / 'owner-password-script.pdf')
(here / 'form.tmp').unlink()
write('note.tmp', b'An attached note')
run('qpdf', '--static-id', here / 'plain.pdf', '--add-attachment', here / 'note.tmp', '--creationdate=D:20260101000000Z', '--moddate=D:20260101000000Z',
    '--filename=note.txt', '--', here / 'attachment.pdf')
(here / 'note.tmp').unlink()

write('photo-48-megapixels.jpg', jpeg(portrait(6000, 8000), quality=30))
write('photo-120-megapixels.jpg', jpeg(portrait(10000, 12000), quality=5))
write('photo-without-end-marker.jpg', jpeg(portrait(600, 800))[:-2])
write('photo-cut-in-half.jpg', (lambda whole: whole[: len(whole) // 2])(jpeg(portrait(600, 800))))
exif = Image.Exif()
exif[0x0112] = 6
write('photo-turned-by-exif.jpg', jpeg(portrait(600, 800).transpose(Image.Transpose.ROTATE_90), exif=exif))
write('photo-cmyk-progressive.jpg', jpeg(portrait(600, 800).convert('CMYK'), progressive=True))
write('photo-200-pixels.png', (lambda out: (portrait(200, 200).save(out, 'PNG'), out.getvalue())[1])(io.BytesIO()))
write('photo-199-pixels.png', (lambda out: (portrait(199, 200).save(out, 'PNG'), out.getvalue())[1])(io.BytesIO()))
# Only the header: no encoder of HEIC is needed to refuse it.
write('photo.heic', struct.pack('>I', 28) + b'ftypheic' + bytes(4) + b'mif1heicmiaf' + struct.pack('>I', 8) + b'mdat')
