# SPDX-License-Identifier: Apache-2.0
"""Run by Blender: the devices that its renderer Cycles finds."""
import bpy

preferences = bpy.context.preferences.addons['cycles'].preferences
for device in preferences.get_devices_for_type('CUDA'):
    print(f'device {device.type} {device.name} at {device.id}')
