/**
 * The records of a journal: one class per kind, its byte table in the class doc, writing and
 * reading side by side.
 *
 * <p>Every record is little-endian, without gaps, a multiple of four bytes long:
 *
 * <pre>
 *  0  length        i32  whole record, this field and the checksum included
 *  4  type          i16  see {@link dev.headway.events.record.RecordType}
 *  6  schemaVersion i16  {@link dev.headway.events.record.RecordType#SCHEMA_VERSION}
 *  8  sequence      i64  from 1, gapless in a run
 * 16  payload            the table of the record's class
 *  …  padding            zeros up to a multiple of four bytes
 *  …  crc           i32  CRC-32C of everything before it
 * </pre>
 *
 * <p>A text is an i32 count of bytes, or -1 for none, and UTF-8 bytes. Unpaired surrogates, which
 * UTF-8 cannot say, take three bytes each, so that every Java string comes back as it was. A text
 * of more than {@link dev.headway.events.record.RecordBuffer#MAX_TEXT_BYTES} is cut there and says
 * so at its end.
 *
 * <p>Schema rules: within a major version a payload only grows at its end and types are only added;
 * a reader ignores what it does not know. Anything else is a new major version, which an older
 * reader refuses.
 *
 * <p>Not an API: the classes are public for the package next door, their signatures may change. The
 * bytes are a promise.
 */
@NullMarked
package dev.headway.events.record;

import org.jspecify.annotations.NullMarked;
