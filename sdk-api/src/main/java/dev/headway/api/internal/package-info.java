/**
 * Text helpers of Headway's own modules: names from outside in logs and on terminals, and the
 * nearest of known names. Not API: exported to those modules only.
 */
@NullMarked
package dev.headway.api.internal;

import org.jspecify.annotations.NullMarked;
