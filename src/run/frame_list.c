/* frame_list.c - NAME.xdmf, the list of the frames and their times, for ParaView's Xdmf3 reader. A frame is added by
 * writing over the closing tags, so the list costs the same for the thousandth frame as for the first, and it is whole
 * again as soon as that one write is done. */
#include <errno.h>
#include <string.h>

#include "run/frames_parts.h"

static const char head[] = "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
                           "<Grid Name=\"frames\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
static const char tail[] = "</Grid>\n</Domain>\n</Xdmf>\n";

static eagle_status list_failed(const eg_frames *f)
{
    return eg_fail(EAGLE_ERR_IO, EG_NOWHERE, "make room or choose another --run-dir; the frames themselves are whole",
                   "the list '%s/%s.xdmf' could not be written: %s", f->directory, f->name, strerror(errno));
}

static eagle_status open_list(eg_frames *f)
{
    char path[EG_FRAME_PATH];

    snprintf(path, sizeof path, "%s/%s.xdmf", f->directory, f->name);
    f->list = fopen(path, "w");
    if (f->list == NULL || fputs(head, f->list) < 0) return list_failed(f);
    f->list_tail = ftell(f->list);
    return EAGLE_OK;
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
    fprintf(f->list, "<Attribute Name=\"%s\" Center=\"Node\" AttributeType=\"%s\">", field->name,
            field->components == 1 ? "Scalar" : field->components == 3 ? "Vector" : "Matrix");
    fprintf(f->list, "<DataItem Format=\"HDF\" NumberType=\"%s\" Precision=\"%d\" Dimensions=\"%lld %lld %lld%s\">",
            number_type(field->stored), (int)eg_type_bytes(field->stored), (long long)f->n[2], (long long)f->n[1],
            (long long)f->n[0], components);
    fprintf(f->list, "%s:/VTKHDF/PointData/%s</DataItem></Attribute>\n", file, field->name);
}

static void put_frame(eg_frames *f, const eagle_clock *now)
{
    fprintf(f->list, "<Grid Name=\"%08lld\" GridType=\"Uniform\">\n<Time Value=\"%.17g\"/>\n", (long long)now->step, now->t);
    fprintf(f->list, "<Topology TopologyType=\"3DCORECTMesh\" Dimensions=\"%lld %lld %lld\"/>\n", (long long)f->n[2],
            (long long)f->n[1], (long long)f->n[0]);
    fprintf(f->list, "<Geometry GeometryType=\"ORIGIN_DXDYDZ\"><DataItem Format=\"XML\" NumberType=\"Float\" "
                     "Precision=\"8\" Dimensions=\"3\">%.17g %.17g %.17g</DataItem>",
            f->origin[2], f->origin[1], f->origin[0]);
    fprintf(f->list, "<DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"3\">%.17g %.17g "
                     "%.17g</DataItem></Geometry>\n",
            f->spacing[2], f->spacing[1], f->spacing[0]);
    for (int i = 0; i < f->n_fields; i++) put_field(f, &f->fields[i]);
    fputs("</Grid>\n", f->list);
}

eagle_status eg_frame_list_add(eg_frames *f, const eagle_clock *now)
{
    if (f->list == NULL) EAGLE_TRY(open_list(f));
    if (fseek(f->list, f->list_tail, SEEK_SET) != 0) return list_failed(f);
    put_frame(f, now);
    f->list_tail = ftell(f->list);
    fputs(tail, f->list);
    return fflush(f->list) != 0 || ferror(f->list) ? list_failed(f) : EAGLE_OK;
}

eagle_status eg_frame_list_close(eg_frames *f)
{
    FILE *list = f->list;

    f->list = NULL;
    return list != NULL && fclose(list) != 0 ? list_failed(f) : EAGLE_OK;
}
