/**
 * Calls of functions in what a model writes.
 *
 * <p>Read {@link dev.headway.server.tool.CallText}. Nothing here depends on the server.
 */
@NullMarked
package dev.headway.server.tool;

import org.jspecify.annotations.NullMarked;
