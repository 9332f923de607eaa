/**
 * A file system that fails where a test asks for it.
 *
 * <pre>{@code
 * code under test ─▶ Path of FaultyFiles ─▶ FilePlan: fault or none ─▶ the real file system
 * }</pre>
 *
 * <p>Read {@link dev.headway.testkit.files.FaultyFiles}, then {@link
 * dev.headway.testkit.files.FilePlan}. Nothing in the code under test changes: every call that it
 * makes by a {@link java.nio.file.Path}, a {@link java.nio.file.Files} method or a channel opened
 * from one is numbered and may fail. Calls by {@link java.io.File} are not seen, but {@code
 * Path.toFile()} is.
 */
@NullMarked
package dev.headway.testkit.files;

import org.jspecify.annotations.NullMarked;
