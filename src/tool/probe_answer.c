/* SPDX-License-Identifier: Apache-2.0 */
/* Whoever prints may be anybody: each byte is compared with what the command would write. */
#include "src/tool/probe_answer.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "src/base/text.h"

struct reading {
    const char *next;
    bool is_cut, is_wrong;
};

static bool stop(struct reading *reading)
{
    reading->is_cut = *reading->next == '\0';
    reading->is_wrong = !reading->is_cut;
    return false;
}

static bool expect(struct reading *reading, const char *literal)
{
    for (; *literal; literal++, reading->next++) {
        if (*reading->next != *literal)
            return stop(reading);
    }
    return true;
}

/* A stage, or what follows it if it was not reached. True: the stage. */
static bool expect_stage(struct reading *reading, const char *literal)
{
    const char *text = reading->next;

    if (strncmp(text, literal, strlen(literal)) == 0)
        return expect(reading, literal);
    /* The end of the text may be the beginning of either. */
    if (strncmp(text, literal, strlen(text)) == 0)
        reading->is_cut = true;
    return false;
}

/* As JSON writes a whole number. */
static bool expect_digits(struct reading *reading, long long most, long long *number)
{
    const bool is_zero = *reading->next == '0';
    long long value = 0;

    if (*reading->next < '0' || *reading->next > '9')
        return stop(reading);
    for (; *reading->next >= '0' && *reading->next <= '9'; reading->next++) {
        value = value * 10 + (*reading->next - '0');
        if (value > most || (is_zero && value > 0)) {
            reading->is_wrong = true;
            return false;
        }
    }
    *number = value;
    return true;
}

static bool expect_number(struct reading *reading, int *number)
{
    long long value;

    if (!expect_digits(reading, INT_MAX, &value))
        return false;
    *number = (int)value;
    return true;
}

/* The driver's own, which may be any. */
static bool expect_code(struct reading *reading, int *code)
{
    long long value;

    if (*reading->next != '-')
        return expect_number(reading, code);
    reading->next++;
    if (!expect_digits(reading, -(long long)INT_MIN, &value))
        return false;
    *code = (int)-value;
    reading->is_wrong = value == 0;
    return !reading->is_wrong;
}

static int hexadecimal(char digit)
{
    const bool is_letter = digit >= 'a' && digit <= 'f';

    return digit >= '0' && digit <= '9' ? digit - '0' : is_letter ? digit - 'a' + 10 : -1;
}

/* Write a character of at most 16 bits in UTF-8. Returns its bytes. */
static size_t write_character(char bytes[3], unsigned value)
{
    size_t count = 0;

    if (value >= 0x800)
        bytes[count++] = (char)(0xe0 | value >> 12);
    if (value >= 0x80)
        bytes[count++] = (char)(value >= 0x800 ? 0x80 | (value >> 6 & 0x3f) : 0xc0 | value >> 6);
    bytes[count++] = (char)(value >= 0x80 ? 0x80 | (value & 0x3f) : value);
    return count;
}

/* The character behind a backslash: those that cushim__text_json() writes. 0: none of them. */
static size_t read_escape(struct reading *reading, char bytes[3])
{
    unsigned value = 0;

    if (*reading->next == '"' || *reading->next == '\\')
        return write_character(bytes, (unsigned char)*reading->next++);
    if (!expect(reading, "u"))
        return 0;
    for (int i = 0; i < 4; i++, reading->next++) {
        const int digit = hexadecimal(*reading->next);
        if (digit < 0) {
            stop(reading);
            return 0;
        }
        value = value * 16 + (unsigned)digit;
    }
    if (value == 0xfffd)
        return write_character(bytes, '?');
    return value && cushim__text_is_control(value) ? write_character(bytes, value) : 0;
}

static bool expect_text(struct reading *reading, char *text, size_t size)
{
    size_t length = 0;

    if (!expect(reading, "\""))
        return false;
    while (*reading->next != '"') {
        char bytes[3] = {*reading->next};
        size_t count = (unsigned char)bytes[0] >= 0x20;
        if (bytes[0] == '\0')
            return stop(reading);
        reading->next++;
        if (bytes[0] == '\\')
            count = read_escape(reading, bytes);
        if (reading->is_cut)
            return false;
        if (count == 0 || length + count >= size) {
            reading->is_wrong = true;
            return false;
        }
        memcpy(text + length, bytes, count);
        length += count;
    }
    text[length] = '\0';
    reading->next++;
    return true;
}

static bool expect_state(struct reading *reading, enum cushim_state *state)
{
    char name[32];

    if (!expect_text(reading, name, sizeof name))
        return false;
    for (int i = CUSHIM_STATE_UNTRIED; i <= CUSHIM_STATE_FORKED; i++) {
        if (strcmp(name, cushim_state_name((enum cushim_state)i)) == 0) {
            *state = (enum cushim_state)i;
            return true;
        }
    }
    reading->is_wrong = true;
    return false;
}

/* Which driver is loaded, and about to be initialised. */
static bool expect_loaded(struct reading *reading, struct probe_result *found)
{
    return expect_stage(reading, PROBE_VERSION) && expect_number(reading, &found->driver_version) &&
           expect(reading, PROBE_LIBRARY) &&
           expect_text(reading, found->library, sizeof found->library) &&
           expect(reading, PROBE_INITIALISING);
}

static bool expect_stages(struct reading *reading, struct probe_result *found)
{
    if (!expect(reading, PROBE_LOADING))
        return false;
    found->stage = PROBE_STAGE_LOAD;
    if (expect_loaded(reading, found)) {
        found->stage = PROBE_STAGE_INIT;
        if (expect_stage(reading, PROBE_COUNTING))
            found->stage = PROBE_STAGE_COUNT;
    }
    return !reading->is_cut && !reading->is_wrong;
}

/* Leave what is certain of a process that has come to a stage. */
static void forget(struct probe_result *probe, enum probe_stage stage)
{
    if (stage < PROBE_STAGE_INIT) {
        probe->driver_version = 0;
        memset(probe->library, 0, sizeof probe->library);
    }
    probe->verdict = PROBE_UNKNOWN;
    probe->stage = stage;
    probe->state = CUSHIM_STATE_UNTRIED;
    probe->code = CUDA_SUCCESS;
    probe->device_count = 0;
    probe->exit_status = 0;
    probe->signal = 0;
    probe->unreaped_pid = 0;
    memset(probe->reason, 0, sizeof probe->reason);
    memset(probe->advice, 0, sizeof probe->advice);
}

/* What the process has found. Its parts must be of one mind. */
static bool expect_findings(struct reading *reading, struct probe_result *found)
{
    int code;

    if (!expect(reading, PROBE_STATE) || !expect_state(reading, &found->state) ||
        !expect(reading, PROBE_CODE) || !expect_code(reading, &code) ||
        !expect(reading, PROBE_DEVICES) || !expect_number(reading, &found->device_count) ||
        !expect(reading, PROBE_REASON) ||
        !expect_text(reading, found->reason, sizeof found->reason) ||
        !expect(reading, PROBE_ADVICE) ||
        !expect_text(reading, found->advice, sizeof found->advice) || !expect(reading, PROBE_END))
        return false;
    found->code = (CUresult)code;
    reading->is_wrong =
        *reading->next != '\0' ||
        (found->state == CUSHIM_STATE_READY) != (found->stage == PROBE_STAGE_COUNT) ||
        (found->state != CUSHIM_STATE_READY && code == 0) || (code && found->device_count);
    return !reading->is_wrong;
}

enum probe_answer probe_answer_read(const char *text, size_t length, struct probe_result *probe)
{
    struct reading reading = {.next = text};

    forget(probe, PROBE_STAGE_START);
    if (expect_stages(&reading, probe) && expect_findings(&reading, probe) &&
        strlen(text) == length) {
        probe->stage = PROBE_STAGE_DONE;
        return PROBE_ANSWER_WHOLE;
    }
    forget(probe, probe->stage);
    return reading.is_cut && strlen(text) == length ? PROBE_ANSWER_CUT : PROBE_ANSWER_GARBAGE;
}
