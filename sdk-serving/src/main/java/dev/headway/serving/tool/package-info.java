/**
 * Calls of functions in what a model writes.
 *
 * <p>Read {@link dev.headway.serving.tool.CallText}. Nothing here depends on the server.
 */
@NullMarked
package dev.headway.serving.tool;

import org.jspecify.annotations.NullMarked;
