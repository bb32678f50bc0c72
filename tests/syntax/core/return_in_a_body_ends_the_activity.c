int h(int i) { activate { if (i) return; f(i); } activate { activate { return; } f(1); } return i; }
