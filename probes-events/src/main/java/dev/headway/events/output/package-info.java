/**
 * Files and directories that are written beside their place and renamed when they are complete.
 *
 * <p>Read {@link dev.headway.events.output.OutputFile}, then {@link
 * dev.headway.events.output.OutputDirectory}.
 */
@NullMarked
package dev.headway.events.output;

import org.jspecify.annotations.NullMarked;
