/* frame_list.c - NAME.xdmf, the list of the frames and their times, for ParaView's Xdmf3 reader. A frame is added by
 * writing over the closing tags, in one write: the thousandth frame costs as much as the first, and whoever reads
 * the list meanwhile finds it whole. Where there is no room the closing tags are put back. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/frames_parts.h"

static const char head[] = "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
                           "<Grid Name=\"frames\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
static const char tail[] = "</Grid>\n</Domain>\n</Xdmf>\n";

static eagle_status list_failed(const eg_frames *f, int code)
{
    return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "make room or choose another --run-dir; the frames themselves are whole",
                   "the list '%s/%s.xdmf' could not be written: %s", f->directory, f->name, strerror(code));
}

/* --- text ----------------------------------------------------------------------------------------------------- */

/* What is too long is found when it is written. */
static void put(eg_frames *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(eg_frames *f, const char *fmt, ...)
{
    const size_t room = f->list_bytes < sizeof f->list_text ? sizeof f->list_text - f->list_bytes : 0;
    va_list      values;

    va_start(values, fmt);
    f->list_bytes += (size_t)vsnprintf(room > 0 ? f->list_text + f->list_bytes : NULL, room, fmt, values);
    va_end(values);
}

static const char *number_type(eagle_type type)
{
    return type == EAGLE_F32 || type == EAGLE_F64 ? "Float" : type == EAGLE_U8 || type == EAGLE_U32 ? "UInt" : "Int";
}

static void put_field(eg_frames *f, const eg_frame_field *field)
{
    const char *file = strrchr(f->path, '/') + 1;
    char        components[16] = "";

    if (field->components > 1) snprintf(components, sizeof components, " %d", field->components);
    put(f, "<Attribute Name=\"%s\" Center=\"Node\" AttributeType=\"%s\">", field->name,
        field->components == 1   ? "Scalar"
        : field->components == 3 ? "Vector"
                                 : "Matrix");
    put(f, "<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%d\" Dimensions=\"%lld %lld %lld%s\">",
        number_type(field->stored), (int)eg_type_bytes(field->stored), (long long)f->n[2], (long long)f->n[1],
        (long long)f->n[0], components);
    put(f, "%s:/VTKHDF/PointData/%s</DataItem></Attribute>\n", file, field->name);
}

static void put_point(eg_frames *f, const double v[3])
{
    put(f,
        "<DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"3\">%.17g %.17g %.17g</DataItem>",
        v[2], v[1], v[0]);
}

static void put_frame(eg_frames *f, const eagle_clock *now)
{
    put(f, "<Grid Name=\"%08lld\" GridType=\"Uniform\">\n<Time Value=\"%.17g\"/>\n", (long long)now->step, now->t);
    put(f, "<Topology TopologyType=\"3DCORECTMesh\" Dimensions=\"%lld %lld %lld\"/>\n", (long long)f->n[2],
        (long long)f->n[1], (long long)f->n[0]);
    put(f, "<Geometry GeometryType=\"ORIGIN_DXDYDZ\">");
    put_point(f, f->origin);
    put_point(f, f->spacing);
    put(f, "</Geometry>\n");
    for (int i = 0; i < f->n_fields; i++) put_field(f, &f->fields[i]);
    put(f, "</Grid>\n");
}

/* --- the file ------------------------------------------------------------------------------------------------- */

static int open_list(eg_frames *f)
{
    char path[EG_FRAME_PATH];

    if (f->list >= 0) return 0;
    snprintf(path, sizeof path, "%s/%s.xdmf", f->directory, f->name);
    f->list = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    f->list_tail = 0;
    return f->list < 0 ? errno : 0;
}

/* Where the first frame of `step` or a later one begins, or the closing tags; 0: this is no list of ours. */
static size_t end_before(const char *text, int64_t step)
{
    static const char mark[] = "<Grid Name=\"";
    const char       *end = strstr(text, tail), *at = text + sizeof head - 1;

    if (strncmp(text, head, sizeof head - 1) != 0 || end == NULL) return 0;
    for (at = strstr(at, mark); at != NULL && at < end; at = strstr(at + 1, mark))
        if (strtoll(at + sizeof mark - 1, NULL, 10) >= step) return (size_t)(at - text);
    return (size_t)(end - text);
}

static char *read_all(int fd)
{
    struct stat there;
    char       *text = fstat(fd, &there) == 0 ? eg_alloc((size_t)there.st_size + 1, 1) : NULL;
    ssize_t     n = 0;

    for (off_t at = 0; text != NULL && (n = pread(fd, text + at, (size_t)(there.st_size - at), at)) > 0;) at += n;
    return text;
}

eagle_status eg_frame_list_resume(eg_frames *f, int64_t step)
{
    char path[EG_FRAME_PATH];

    snprintf(path, sizeof path, "%s/%s.xdmf", f->directory, f->name);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? EAGLE_OK : list_failed(f, errno);
    char        *text = read_all(fd);
    const size_t end = text != NULL ? end_before(text, step) : 0;
    eg_free(text);
    f->list = fd;
    f->list_tail = (int64_t)end;
    int code = end > 0 ? eg_frame_write_bytes(fd, tail, sizeof tail - 1, f->list_tail) : 0;
    if (code == 0 && ftruncate(fd, f->list_tail + (end > 0 ? (off_t)sizeof tail - 1 : 0)) != 0) code = errno;
    return code == 0 ? EAGLE_OK : list_failed(f, code);
}

/* The list as it was before; its last bytes need no new room. */
static void restore_tail(const eg_frames *f)
{
    const size_t bytes = f->list_tail > 0 ? strlen(tail) : 0;

    if (f->list < 0 || eg_frame_write_bytes(f->list, tail, bytes, f->list_tail) != 0) return;
    if (ftruncate(f->list, f->list_tail + (int64_t)bytes) != 0)
        return; /* what stands behind does no harm to a reader */
}

eagle_status eg_frame_list_add(eg_frames *f, const eagle_clock *now)
{
    int code = open_list(f);

    f->list_bytes = 0;
    if (f->list_tail == 0) put(f, "%s", head);
    put_frame(f, now);
    const size_t end = f->list_bytes;
    put(f, "%s", tail);
    if (code == 0 && f->list_bytes >= sizeof f->list_text) code = ENAMETOOLONG;
    if (code == 0) code = eg_frame_write_bytes(f->list, f->list_text, f->list_bytes, f->list_tail);
    if (code != 0) {
        restore_tail(f);
        return list_failed(f, code);
    }
    f->list_tail += (int64_t)end;
    return EAGLE_OK;
}

eagle_status eg_frame_list_close(eg_frames *f)
{
    const int list = f->list;

    f->list = -1;
    return list >= 0 && close(list) != 0 ? list_failed(f, errno) : EAGLE_OK;
}
