/**
 * Files and directories that are written beside their place and renamed when they are complete.
 *
 * <p>Read {@link dev.headway.toolbox.output.OutputFile}, then {@link
 * dev.headway.toolbox.output.OutputDirectory}.
 */
@NullMarked
package dev.headway.toolbox.output;

import org.jspecify.annotations.NullMarked;
